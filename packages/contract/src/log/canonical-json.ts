/** JSON in its one canonical form. Source: RFC 8785, for objects of texts, whole numbers, booleans and null. */

/** What a canonical object holds. */
export type CanonicalValue = string | number | boolean | null

export type CanonicalObject = Readonly<Record<string, CanonicalValue>>

/**
 * Writes an object canonically: members by name, no space, texts escaped as little as JSON allows.
 *
 * @throws {RangeError} when a number is not whole or is beyond 2^53, or a text is not well-formed.
 */
export function canonicalJson(object: CanonicalObject): string {
  const members = Object.keys(object)
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalValue(object[name] ?? null)}`)
  return `{${members.join(',')}}`
}

function canonicalValue(value: CanonicalValue): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError('a canonical number is whole and below 2^53')
  }
  if (typeof value === 'string' && !value.isWellFormed()) throw new RangeError('a canonical text is well-formed')
  return JSON.stringify(value)
}
