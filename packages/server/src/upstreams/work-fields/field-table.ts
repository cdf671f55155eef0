/** All lists of fields as one table for each kind of request. */
import type { UsageType } from '@svc/contract'
import { foldName, NAME_LENGTH_MAX } from './fold-name.ts'
import { mediaFields } from './media-fields.ts'
import { kindByWords, type UnknownKind } from './name-words.ts'
import { selfHostedFields } from './self-hosted-fields.ts'
import { vendorFields } from './vendor-fields.ts'
import type { DialectFields, WorkKind } from './work-field.ts'

/** Every list that the gateway knows. */
export const dialectFields: readonly DialectFields[] = [...vendorFields, ...selfHostedFields, ...mediaFields]

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
      rows.flatMap(({ fields }) =>
        Object.entries(fields).map(([name, kind]) => [foldName(name) ?? name, kind] as const),
      ),
    )
  }

  /** What a field means, by its name; null for one that is none of work. */
  kindOf(name: string): WorkKind | UnknownKind | null {
    // Neither folded nor remembered: a long name costs time and memory, and is a field of no server.
    if (name.length > NAME_LENGTH_MAX) return null
    const remembered = this.#remembered.get(name)
    if (remembered !== undefined) return remembered
    const kind = this.#listed(name) ?? kindByWords(name)
    if (this.#remembered.size >= REMEMBERED_MAX) this.#remembered.clear()
    this.#remembered.set(name, kind)
    return kind
  }

  /** Whether a list names the field as one that servers read, and that is no content. */
  isKnown(name: string): boolean {
    const kind = this.#listed(name)
    return kind !== null && kind !== 'content'
  }

  #listed(name: string): WorkKind | null {
    const folded = foldName(name)
    return folded === null ? null : (this.#known.get(folded) ?? null)
  }
}

function isGeneral({ modalities }: DialectFields): boolean {
  return modalities === undefined
}
