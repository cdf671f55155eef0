/** First characters that make a spreadsheet read a cell as a formula. */
const FORMULA = /^[=+\-@\t\r]/
const NUMBER = /^-?\d+(?:\.\d+)?$/

/**
 * One line of CSV, its end included. Source: RFC 4180, with a line feed as its end.
 *
 * A text that a spreadsheet would calculate is written with an apostrophe before it.
 */
export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\n`
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
