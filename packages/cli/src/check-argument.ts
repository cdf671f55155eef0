import type { TextForm } from '@svc/contract'
import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'

/**
 * Checks an argument that goes unchanged into a field of the API, by the form that the field's own schema is made of.
 * Not by the schema: the published file has none.
 *
 * @param what names it: `transaction`.
 * @throws {CommandError} with the exit code of wrong usage, before anything was asked.
 */
export function checkArgument(form: TextForm, text: string, what: string): void {
  if (form.matches(text)) return
  throw new CommandError(`The ${what} "${text}" is wrong: ${form.expected}`, { exitCode: exitCodes.wrongUsage })
}
