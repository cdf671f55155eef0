/** Items that a request names by their ids in place of sending them. Pure. */
import type { ResponseRequest } from '@svc/contract'
import { recordOf, recordsOf } from '../translated-chat.ts'

type Fields = Readonly<Record<string, unknown>>

/** Source: `itemId` writes it. */
const ITEM_ID = /^(?:msg|rs|fc|ctc|tsc|lsh|sh|apc|cu|ig)_([0-9a-f]{32})_\d{1,4}$/

/** The id that an item refers to; null for an item that is one itself. The type may be left out. */
export function referenceOf(item: Fields): string | null {
  const { type, role, id } = item
  const isReference = type === 'item_reference' || (type === undefined && role === undefined)
  return isReference && typeof id === 'string' ? id : null
}

/** Seeds of the answers whose items a request refers to, each once. */
export function seedsIn({ input }: Pick<ResponseRequest, 'input'>): readonly string[] {
  if (typeof input === 'string') return []
  const seeds = input.map((item) => ITEM_ID.exec(referenceOf(item) ?? '')?.[1])
  return [...new Set(seeds.filter((seed) => seed !== undefined))]
}

/** Finds the item of an id; null where it is not there. */
export type FindItem = (id: string) => Fields | null

/** @param outputs JSON text of what was kept, by seed. */
export function itemFinder(outputs: ReadonlyMap<string, string>): FindItem {
  const items = new Map<unknown, Fields>()
  for (const output of outputs.values()) {
    const parsed: unknown = JSON.parse(output)
    for (const item of recordsOf(parsed)) items.set(item['id'], item)
  }
  return (id) => items.get(id) ?? null
}

/** Items that clients always send again, with what came of them. */
const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', 'tool_search_call'])

/** The answer that its client gets. @param text JSON, or events of which the last says the whole. */
export function responseIn(text: string): Fields {
  const at = text.lastIndexOf('\ndata: ')
  const json = at === -1 ? text : text.slice(at + '\ndata: '.length)
  const value = recordOf(JSON.parse(json))
  return at === -1 ? value : recordOf(value['response'])
}

/**
 * The items of an answer, as JSON text, from what its client gets.
 *
 * @param text JSON, or events of which the last says the whole.
 * @returns null where there is none that a client would refer to: calls are always sent again.
 */
export function outputIn(text: string): string | null {
  const { output: items, status } = responseIn(text)
  const output = recordsOf(items)
  return status !== 'failed' && output.some(({ type }) => !CALLS.has(type)) ? JSON.stringify(output) : null
}
