/**
 * Which modules share a chunk. Each request costs a slow network a part of a second, so that what almost every page
 * needs is one file, and not the thirty that it is cut into by itself.
 */
import path from 'node:path'
import type { Rolldown } from 'vite'

type NameOfChunk = Extract<NonNullable<Rolldown.CodeSplittingGroup['name']>, (...values: never) => unknown>
type Context = Parameters<NameOfChunk>[1]

const here = (...names: readonly string[]): string => path.join(import.meta.dirname, ...names)

/** Pages that are opened first, most of the time. */
const FIRST_PAGES = ['overview', 'playground', 'models', 'keys', 'usage', 'fund']

/** A module of so many of them is loaded with the first page, whichever it is. */
const PAGES_OF_SHARED = FIRST_PAGES.length / 2

/** Puts what almost every page needs into one chunk, and what the reference needs of it into another. */
export function firstChunks(): Rolldown.CodeSplittingGroup[] {
  let names: ReadonlyMap<string, string> | null = null
  const only =
    (name: string): NameOfChunk =>
    (id, context) =>
      (names ??= assign(context)).get(id) === name ? name : null
  // A group takes what its modules import along: the reference's part goes first.
  return [
    { name: only('shared'), priority: 2 },
    { name: only('console'), priority: 1 },
  ]
}

function assign(context: Context): ReadonlyMap<string, string> {
  const ofReference = reachedFrom(context, here('docs.html'))
  const first = new Set(reachedFrom(context, here('index.html')))
  const pages = FIRST_PAGES.map((page) => reachedFrom(context, here('src', 'pages', page, `${page}-page.tsx`)))
  for (const id of new Set(pages.flatMap((page) => [...page]))) {
    if (pages.filter((page) => page.has(id)).length >= PAGES_OF_SHARED) first.add(id)
  }
  return new Map([...first].map((id) => [id, ofReference.has(id) ? 'shared' : 'console']))
}

/** A module and all that it imports before it runs. */
function reachedFrom(context: Context, id: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of context.getModuleInfo(id)?.importedIds ?? []) reachedFrom(context, imported, found)
  return found
}
