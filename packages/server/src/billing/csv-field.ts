/**
 * Characters with which spreadsheets begin a formula, the full-width ones of some locales included, at the start of a
 * text or behind what some of them take for the border of a cell, with blanks and quotes before them.
 */
const FORMULA = /(^|[,;|\t\r\n])([\s"']*)([=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/g
const CONTROL = /(?![\t\r\n])\p{Cc}/gu
const NEEDS_QUOTES = /[",;|\t\r\n]|^\s|\s$/

/**
 * One field of a CSV file, as RFC 4180 has it. Somebody else may have chosen a text, and a spreadsheet would run what
 * begins like a formula: such a place gets an apostrophe before it. Numbers are written as they are.
 */
export function csvField(value: string | number | bigint | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = value.replaceAll(CONTROL, '').replaceAll(FORMULA, "$1$2'$3")
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
