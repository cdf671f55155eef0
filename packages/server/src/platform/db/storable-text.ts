/**
 * A text as both engines can keep it: well-formed, and with U+FFFD for NUL, which PostgreSQL refuses in a text.
 *
 * A text that is in order is returned as it is.
 */
export function storableText(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** The parameters of a statement with every text among them storable. */
export function storableParameters(parameters: readonly unknown[]): readonly unknown[] {
  return parameters.map((value) => (typeof value === 'string' ? storableText(value) : value))
}
