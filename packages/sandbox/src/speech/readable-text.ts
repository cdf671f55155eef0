/** Marks that Latin letters are written with are left out: the voices know English alone. */
const MARKS = /\p{Mn}/gu
const FOREIGN = /\p{L}/u
const SPOKEN = /[A-Za-z0-9]/
/** Latin letters that are no letter with a mark. */
const LATIN: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ł: 'l' },
  ...{ Æ: 'Ae', Œ: 'Oe', Ø: 'O', Đ: 'D', Ł: 'L' },
}
/** The same letters, escaped: what is built is ASCII. */
const NOT_ENGLISH = /[\u00DF\u00E6\u0153\u00F8\u0111\u0142\u00C6\u0152\u00D8\u0110\u0141]/g

/**
 * Brings a text to what the voices can say.
 * @returns null where it has letters of another script, or nothing to say at all.
 */
export function readableText(text: string): string | null {
  const plain = text
    .normalize('NFKD')
    .replaceAll(MARKS, '')
    .replaceAll(/[\u2018\u2019]/g, "'")
    .replaceAll(NOT_ENGLISH, (letter) => LATIN[letter] ?? letter)
  const ascii = plain.replaceAll(/[A-Za-z]/g, '')
  if (FOREIGN.test(ascii) || !SPOKEN.test(plain)) return null
  return plain.replaceAll(/[^\x20-\x7e]+/g, ' ').trim()
}
