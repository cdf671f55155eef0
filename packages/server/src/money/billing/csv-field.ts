/** Characters with which spreadsheets begin a formula, the full-width ones of some locales included. */
const SIGNS: ReadonlySet<string> = new Set('=+-@\uFF1D\uFF0B\uFF0D\uFF20')
/** What some of them take for the border of a cell. */
const BORDERS: ReadonlySet<string> = new Set(',;|\t\r\n')
/** What may come before the formula. */
const BLANK = /^[\s"']$/
const CONTROL = /(?![\t\r\n])\p{Cc}/gu
const NEEDS_QUOTES = /[",;|\t\r\n]|^\s|\s$/

/**
 * One field of a CSV file, as RFC 4180 has it. A stranger may have chosen a text, and a spreadsheet would run what
 * begins like a formula: such a place gets an apostrophe before it. Numbers are written as they are.
 */
export function csvField(value: string | number | bigint | boolean | null): string {
  if (value === null) return ''
  if (typeof value !== 'string') return String(value)
  const text = disarm(value.replaceAll(CONTROL, ''))
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Sets an apostrophe before each sign that begins a formula: at the start of the text, or behind a border. */
function disarm(text: string): string {
  let disarmed = ''
  let isStart = true
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    const isSign = SIGNS.has(character)
    disarmed += isStart && isSign ? `'${character}` : character
    isStart = !isSign && (BORDERS.has(character) || (isStart && BLANK.test(character)))
  }
  return disarmed
}
