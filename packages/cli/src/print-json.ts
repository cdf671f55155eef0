import { moneyFields } from '@svc/contract'
import type { Output } from './terminal/output.ts'

/** Money that this program computes itself, beside that of the gateway's answers. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['credits_at_most'])
const PLAIN_DECIMAL = /^-?\d+(?:\.\d+)?$/

interface ExactJson {
  rawJSON(text: string): unknown
}

/**
 * JSON as the gateway writes it: money is a number with its exact digits, which the typed client keeps as text.
 *
 * @param indent 0 for one line.
 */
export function exactJson(value: unknown, indent: number): string {
  return JSON.stringify(
    value,
    (name, field: unknown) =>
      typeof field === 'string' && (moneyFields.has(name) || OWN_FIELDS.has(name)) && PLAIN_DECIMAL.test(field)
        ? (JSON as unknown as ExactJson).rawJSON(field)
        : field,
    indent,
  )
}

/** Prints the result of a command for scripts: indented for a person, on one line for a pipe. */
export async function printJson(output: Output, value: unknown): Promise<void> {
  // Not cleaned of control characters: JSON writes them as escapes, all but those of C1, which no terminal sees as such
  // in UTF-8 unless it reads eight-bit controls; those go the safe way, too.
  await output.line(exactJson(value, output.isTerminal ? 2 : 0))
}
