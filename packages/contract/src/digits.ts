/** Digits as text. Loops, where a pattern would look at a long row of them again from each. */

/** A text without the marks at its end: `trimEndOf('1.500', '0')` is `1.5`. @param mark one character. */
export function trimEndOf(text: string, mark: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === mark) end--
  return text.slice(0, end)
}

/** Sets commas between the thousands of a decimal without a sign: `26234.5` is `26,234.5`. */
export function groupDigits(decimal: string): string {
  const point = decimal.indexOf('.')
  const end = point === -1 ? decimal.length : point
  const groups: string[] = []
  for (let at = end; at > 0; at -= 3) groups.push(decimal.slice(Math.max(0, at - 3), at))
  return `${groups.reverse().join(',')}${decimal.slice(end)}`
}
