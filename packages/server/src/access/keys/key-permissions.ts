import { InvariantError } from '../../platform/errors/invariant-error.ts'
import type { Right } from './caller.ts'

/**
 * Every right that a key can have. Source: decisions on keys: `inference` includes reading the own balance and
 * usage.
 */
export const RIGHTS: readonly Right[] = ['inference', 'deposits', 'keys']

/** What a key may do when its maker says nothing. */
export const DEFAULT_RIGHTS: readonly Right[] = ['inference', 'deposits']

/** Tells whether a text names a right. */
export function isRight(text: string): text is Right {
  return RIGHTS.some((right) => right === text)
}

/** Reads the column `rights`. */
export function parseRights(text: string): ReadonlySet<Right> {
  const rights = new Set<Right>()
  for (const word of text.split(' ')) {
    if (isRight(word)) rights.add(word)
    else if (word !== '') throw new InvariantError(`a key's row names an unknown right: ${word}`)
  }
  return rights
}

/** Reads the column `models`; null allows all. */
export function parseModels(text: string | null): readonly string[] | null {
  if (text === null) return null
  const models: unknown = JSON.parse(text)
  if (!Array.isArray(models) || !models.every((model) => typeof model === 'string')) {
    throw new InvariantError("a key's row has a model list that is not an array of texts")
  }
  return Object.freeze(models)
}
