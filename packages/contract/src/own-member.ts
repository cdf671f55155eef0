/**
 * Looks up what a table has for a word from outside. What every object has besides (`constructor`, `__proto__`) is no
 * row of it.
 *
 * @returns undefined for what is no text, too.
 */
export function ownMember<Row>(table: Readonly<Record<string, Row>>, word: unknown): Row | undefined {
  return typeof word === 'string' && Object.hasOwn(table, word) ? table[word] : undefined
}
