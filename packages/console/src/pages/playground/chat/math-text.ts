/** Formulas in what models write: each model marks them in its own way. Pure. */

/** Code, in which nothing is a formula; the longest first. */
const CODE = /(`{3,}[\s\S]*?(?:`{3,}|$)|`[^`\n]{1,2000}`)/

/** The longest block, inline formula, and formula between single dollars, in characters. Source: own choice. */
const BLOCK_MAX = 2_000
const INLINE_MAX = 1_000
const DOLLARS_MAX = 500
/** What two amounts have between their dollars: `$5 and $6`, `$5, $`. */
const AMOUNT = /^[\s\d.,]*$/
const PRICE = /^\d[\d.,]*(?:\s|$)/

/** Whether there may be a formula: only then is loaded what sets it. */
export function hasMath(text: string): boolean {
  return text.includes('$') || text.includes('\\(') || text.includes('\\[')
}

/** A formula that begins somewhere: what stands for it, and where the text goes on. */
interface Formula {
  readonly marked: string
  readonly end: number
}

/** What stands between a place and the next closing mark. Null where it is empty, or longer than `most`. */
function upTo(text: string, from: number, close: string, most: number): string | null {
  const length = text.slice(from, from + most + close.length).indexOf(close)
  return length < 1 ? null : text.slice(from, from + length)
}

function blockAt(text: string, at: number): Formula | null {
  const body = upTo(text, at + 2, '\\]', BLOCK_MAX)
  return body === null ? null : { marked: `\n$$\n${body.trim()}\n$$\n`, end: at + body.length + 4 }
}

function inlineAt(text: string, at: number): Formula | null {
  const body = upTo(text, at + 2, '\\)', INLINE_MAX)
  return body === null || body.includes('\n') ? null : { marked: `$$${body.trim()}$$`, end: at + body.length + 4 }
}

/** A dollar of a shell, of a price or of a word begins no formula. */
function dollarsAt(text: string, at: number): Formula | null {
  if (/[\\$\w]/.test(text[at - 1] ?? '')) return null
  const body = upTo(text, at + 1, '$', DOLLARS_MAX)
  if (body === null || body.includes('\n') || AMOUNT.test(body)) return null
  const end = at + body.length + 2
  const isClosed = /\S/.test(body[0] ?? '') && !/[\s\\]/.test(body.at(-1) ?? '') && !/[\w$]/.test(text[end] ?? '')
  if (!isClosed) return null
  return { marked: PRICE.test(body) ? text.slice(at, end) : `$$${body}$$`, end }
}

function formulaAt(text: string, at: number): Formula | null {
  if (text[at] === '$') return dollarsAt(text, at)
  return text[at + 1] === '[' ? blockAt(text, at) : text[at + 1] === '(' ? inlineAt(text, at) : null
}

/** Goes once from mark to mark: what a model writes is of any length. */
function marked(text: string): string {
  let written = ''
  let from = 0
  for (const { index } of text.matchAll(/[$\\]/g)) {
    const formula = index < from ? null : formulaAt(text, index)
    if (formula === null) continue
    written += text.slice(from, index) + formula.marked
    from = formula.end
  }
  return written + text.slice(from)
}

/** All formulas between double dollars, as the parser takes them. */
export function withMathMarks(text: string): string {
  return text
    .split(CODE)
    .map((part, at) => (at % 2 === 0 ? marked(part) : part))
    .join('')
}
