/** All lists of fields as one table for each kind of request. */
import type { UsageType } from '@svc/contract'
import { mediaFields } from './media-fields.ts'
import { kindByWords, type UnknownKind } from './name-words.ts'
import { selfHostedFields } from './self-hosted-fields.ts'
import { vendorFields } from './vendor-fields.ts'
import type { DialectFields, WorkKind } from './work-field.ts'

/** Every list that the gateway knows. */
export const dialectFields: readonly DialectFields[] = [...vendorFields, ...selfHostedFields, ...mediaFields]

/**
 * A name as the least particular reader sees it: without case, and without what joins its words. Letters that fold to an
 * ordinary one (ſ, K) are that one.
 */
export function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '')
}

/** Names that were classified lately. Clients send the same few for ever; a hostile one must not fill the memory. */
const REMEMBERED_MAX = 4_096

/** Says of each field what it means for the work. */
export class FieldTable {
  readonly #known: ReadonlyMap<string, WorkKind>
  readonly #remembered = new Map<string, WorkKind | UnknownKind | null>()

  constructor(modality: UsageType) {
    const lists = dialectFields.filter(({ modalities }) => modalities?.includes(modality) ?? true)
    // What holds for one modality comes last, and wins.
    const rows = [...lists.filter(isGeneral), ...lists.filter((list) => !isGeneral(list))]
    this.#known = new Map(
      rows.flatMap(({ fields }) => Object.entries(fields).map(([name, kind]) => [foldName(name), kind] as const)),
    )
  }

  /** What a field means, by its name; null for one that is none of work. */
  kindOf(name: string): WorkKind | UnknownKind | null {
    const remembered = this.#remembered.get(name)
    if (remembered !== undefined) return remembered
    const kind = this.#known.get(foldName(name)) ?? kindByWords(name)
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear()
    this.#remembered.set(name, kind)
    return kind
  }

  /** Whether a list names the field as one that servers read, and that is no content. */
  isKnown(name: string): boolean {
    const kind = this.#known.get(foldName(name))
    return kind !== undefined && kind !== 'content'
  }
}

function isGeneral({ modalities }: DialectFields): boolean {
  return modalities === undefined
}
