/**
 * Keeps test money and live money apart for good: a store is stamped by its first start, and no start with the other
 * kind of upstream serves it. Source: decision 0105.
 */
import type { Database } from '../../platform/db/database.ts'

/** What the credits of a store are worth: `test` credits buy the sandbox's answers, `live` ones a real upstream's. */
export type StoreKind = 'live' | 'test'

/** A start with the other kind of upstream than the store was made with. */
export class WrongStoreKindError extends Error {
  /** The kind that the store has. */
  readonly kind: StoreKind

  constructor(kind: StoreKind) {
    super(`The store holds ${kind} credits.`)
    this.name = 'WrongStoreKindError'
    this.kind = kind
  }
}

/** @returns null for a store that no gateway has served yet. */
export async function readStoreKind({ read }: Pick<Database, 'read'>): Promise<StoreKind | null> {
  return (await read.selectFrom('store_kind').select('kind').executeTakeFirst())?.kind ?? null
}

/**
 * Stamps a store that no gateway has served yet, and compares the stamp of any other.
 *
 * @throws {WrongStoreKindError} when it is of the other kind.
 */
export async function claimStore(database: Database, kind: StoreKind, now: number): Promise<void> {
  const row = { store_id: 1, kind, stamped_at: now } as const
  const stamp = database.read
    .insertInto('store_kind')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
  if ((await readStoreKind(database)) === null) await database.write([stamp.compile()])
  const found = await readStoreKind(database)
  if (found !== null && found !== kind) throw new WrongStoreKindError(found)
}
