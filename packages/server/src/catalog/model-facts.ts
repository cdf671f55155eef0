import type { CatalogRow } from './catalog-row.ts'
import type { Model } from './model.ts'
import { typeOfId } from './type-of-id.ts'

type ModelFacts = Pick<
  Model,
  | 'name'
  | 'description'
  | 'ownedBy'
  | 'created'
  | 'contextLength'
  | 'maxOutputTokens'
  | 'inputModalities'
  | 'outputModalities'
  | 'supportedParameters'
>

/** What a list says of a model, whichever provider serves it in the end. */
export function modelFacts(row: CatalogRow): ModelFacts {
  return {
    name: row.name,
    description: row.description,
    ownedBy: row.id.includes('/') ? row.id.slice(0, row.id.indexOf('/')) : row.id,
    created: row.created,
    contextLength: row.contextLength,
    maxOutputTokens: row.maxOutputTokens,
    inputModalities: row.inputModalities,
    outputModalities: row.outputModalities,
    supportedParameters: row.supportedParameters,
  }
}

/** Replaces the row of a model that is in no list. @param updatedAt in milliseconds since the epoch. */
export function unknownRow(id: string, updatedAt: number): CatalogRow {
  const { type, output } = typeOfId(id)
  return {
    id,
    type,
    name: id,
    description: null,
    created: Math.floor(updatedAt / 1_000),
    contextLength: null,
    maxOutputTokens: null,
    inputModalities: ['text'],
    outputModalities: [output],
    supportedParameters: [],
    prices: null,
    media: null,
  }
}
