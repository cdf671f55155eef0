/**
 * A text of a fixed form. Schemas are made of it, and programs that load no schema library, such as the terminal client,
 * check by the same one.
 */
export interface TextForm {
  /** Whether a text has this form. */
  readonly matches: (text: string) => boolean
  /** What a refusal says: `expected 0x and 40 hex digits.` */
  readonly expected: string
}

/** @param lengthMax longer texts are not looked at. */
export function textForm(pattern: RegExp, expected: string, lengthMax: number): TextForm {
  return { matches: (text) => text.length <= lengthMax && pattern.test(text), expected }
}
