import { CommandError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'

/** A schema of the API, as far as an argument needs it. */
interface Form {
  readonly safeParse: (text: string) => {
    readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined
  }
}

/**
 * Checks an argument that goes unchanged into a field of the API, by the field's own schema.
 *
 * @param what names it: `transaction`.
 * @throws {CommandError} with the exit code of wrong usage, before anything was asked.
 */
export function checkArgument(form: Form, text: string, what: string): void {
  const [issue] = form.safeParse(text).error?.issues ?? []
  if (issue === undefined) return
  throw new CommandError(`The ${what} "${text}" is wrong: ${issue.message}`, { exitCode: exitCodes.wrongUsage })
}
