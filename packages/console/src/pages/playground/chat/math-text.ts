/** Formulas in what models write: each model marks them in its own way. Pure. */

/** Code, in which nothing is a formula; the longest first. */
const CODE = /(`{3,}[\s\S]*?(?:`{3,}|$)|`[^`\n]{1,2000}`)/

/** Blocks and inline formulas of LaTeX, and what stands between single dollars and looks like no price. */
const MARKED =
  /\\\[([\s\S]{1,2000}?)\\\]|\\\(([^\n]{1,1000}?)\\\)|(?<![\\$\w])\$(?![\s\d.,]*\$)([^\s$][^$\n]{0,500}?)(?<![\s\\])\$(?![\w$])/g
/** A price and words up to the next one: `$5 and $`. */
const PRICE = /^\d[\d.,]*(?:\s|$)/

/** Whether there may be a formula: only then is loaded what sets it. */
export function hasMath(text: string): boolean {
  return text.includes('$') || text.includes('\\(') || text.includes('\\[')
}

function marked(text: string): string {
  return text.replaceAll(MARKED, (whole, block?: string, inline?: string, dollars?: string) => {
    if (block !== undefined) return `\n$$\n${block.trim()}\n$$\n`
    if (inline !== undefined) return `$$${inline.trim()}$$`
    return dollars === undefined || PRICE.test(dollars) ? whole : `$$${dollars}$$`
  })
}

/** All formulas between double dollars, as the parser takes them. */
export function withMathMarks(text: string): string {
  return text
    .split(CODE)
    .map((part, at) => (at % 2 === 0 ? marked(part) : part))
    .join('')
}
