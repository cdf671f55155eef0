/** JSON that is parsed to be written again. */

interface SourceTextJson {
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
  rawJSON(text: string): unknown
}

const sourceText = JSON as unknown as SourceTextJson

/**
 * Parses JSON so that writing it again gives the same numbers: one that a float would change, such as a long id, stays
 * its own digits, in a value that only `JSON.stringify` can read. Source: ECMAScript, `JSON.rawJSON`.
 *
 * @throws {SyntaxError} when the text is no JSON.
 */
export function parseExactly(text: string): unknown {
  return sourceText.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source ? sourceText.rawJSON(source) : value,
  )
}
