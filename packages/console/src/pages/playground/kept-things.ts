/**
 * What the playground keeps in the browser, so that a reload loses nothing: conversations, images, audio files. By
 * person and team; the gateway stores none of it. Source: decision 0045 (the playground).
 */
import { deleteDB, type DBSchema, type IDBPDatabase, openDB } from 'idb'

export type KeptKind = 'conversation' | 'image' | 'video' | 'speech' | 'transcript'

/** Of each kind so many are kept; the oldest goes. Source: own choice. */
const KEPT_MAX: Readonly<Record<KeptKind, number>> = {
  conversation: 100,
  image: 100,
  video: 200,
  speech: 40,
  transcript: 20,
}

/** Whose things they are. */
export interface Owner {
  readonly userId: string
  readonly teamId: string
}

interface Kept {
  readonly key: string
  readonly userId: string
  /** Person, team and kind. */
  readonly shelf: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly value: unknown
}

interface Schema extends DBSchema {
  things: { key: string; value: Kept; indexes: { shelf: [string, number]; user: string } }
}

const DATABASE = 'svc-playground'
let opened: Promise<IDBPDatabase<Schema> | null> | null = null

/** Null in a browser that keeps nothing: then things last as long as the page. */
function open(): Promise<IDBPDatabase<Schema> | null> {
  opened ??= openDB<Schema>(DATABASE, 1, {
    upgrade: (database) => {
      const things = database.createObjectStore('things', { keyPath: 'key' })
      things.createIndex('shelf', ['shelf', 'at'])
      things.createIndex('user', 'userId')
    },
    blocking: (_from, _to, event) => {
      // The person signed out in another tab: let go, so that all of it can be removed.
      if (event.target instanceof IDBDatabase) event.target.close()
      opened = null
    },
  }).catch(() => null)
  return opened
}

const shelfOf = ({ userId, teamId }: Owner, kind: KeptKind): string => `${userId}/${teamId}/${kind}`

const onShelf = (shelf: string): IDBKeyRange => IDBKeyRange.bound([shelf, 0], [shelf, Infinity])

/** Keeps a thing, or what it has become. Never fails: a full or forbidden store keeps less. */
export async function keep(owner: Owner, kind: KeptKind, thing: { id: string; at: number }): Promise<void> {
  const shelf = shelfOf(owner, kind)
  try {
    const database = await open()
    if (database === null) return
    const { id, at } = thing
    await database.put('things', { key: `${shelf}/${id}`, userId: owner.userId, shelf, at, value: thing })
    const keys = await database.getAllKeysFromIndex('things', 'shelf', onShelf(shelf))
    await Promise.all(keys.slice(0, -KEPT_MAX[kind]).map((key) => database.delete('things', key)))
  } catch {
    // Quota and private windows: the page goes on with what it has in memory.
  }
}

/** Newest first. The caller knows what it has kept there. */
export async function listKept<Value>(owner: Owner, kind: KeptKind): Promise<readonly Value[]> {
  try {
    const database = await open()
    const rows = (await database?.getAllFromIndex('things', 'shelf', onShelf(shelfOf(owner, kind)))) ?? []
    return rows.toReversed().map(({ value }) => value as Value)
  } catch {
    return []
  }
}

export async function removeKept(owner: Owner, kind: KeptKind, id: string): Promise<void> {
  try {
    await (await open())?.delete('things', `${shelfOf(owner, kind)}/${id}`)
  } catch {
    // It goes with the rest at the next sign-out.
  }
}

/** Removes what other people have left in this browser. */
export async function removeOthers(userId: string): Promise<void> {
  try {
    const database = await open()
    if (database === null) return
    const others = [IDBKeyRange.upperBound(userId, true), IDBKeyRange.lowerBound(userId, true)]
    for (const range of others) {
      const keys = await database.getAllKeysFromIndex('things', 'user', range)
      await Promise.all(keys.map((key) => database.delete('things', key)))
    }
  } catch {
    // Nothing could be read, so nothing is shown either.
  }
}

/** Removes all of it: the person signs out. */
export async function removeAllKept(): Promise<void> {
  const database = await opened
  database?.close()
  opened = null
  await deleteDB(DATABASE).catch(() => undefined)
}
