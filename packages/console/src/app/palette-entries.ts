/** What the palette finds for a text. */
import type { LucideIcon } from 'lucide-react'

export interface PaletteEntry {
  /** One word for the list of all entries. */
  readonly id: string
  readonly group: string
  readonly name: string
  /** Small, beside the name; found too. */
  readonly note: string
  /** Where it leads, or what it does. */
  readonly to: PaletteTarget
  readonly icon: LucideIcon
}

/** The address is below the console. */
export type PaletteTarget = { readonly href: string } | { readonly run: () => void }

/** Entries of one group that are shown at once. */
const GROUP_MAX = 8
const REQUEST_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** The id of a request, when the text is one. */
export function requestIdOf(text: string): string | null {
  const id = text.trim()
  return REQUEST_ID.test(id) ? id.toLowerCase() : null
}

/** Higher is nearer; null is no match. Every word must occur. */
function nearness({ name, note }: PaletteEntry, words: readonly string[]): number | null {
  const lower = name.toLowerCase()
  const all = `${lower} ${note.toLowerCase()}`
  if (!words.every((word) => all.includes(word))) return null
  const [first = ''] = words
  if (lower.startsWith(first)) return 2
  return lower.includes(first) ? 1 : 0
}

/** What the text finds, nearest first within each group, the groups in their order. */
export function findEntries(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const found = entries.flatMap((entry) => {
    const near = nearness(entry, words)
    return near === null ? [] : [{ entry, near }]
  })
  const groups = Map.groupBy(found, ({ entry }) => entry.group)
  return [...groups.values()].flatMap((group) =>
    group
      .toSorted((left, right) => right.near - left.near)
      .slice(0, GROUP_MAX)
      .map(({ entry }) => entry),
  )
}
