/**
 * Leaves whose records were archived, for an audit without the archive: they cannot be made again, so each is compared
 * with its seal. Of those that were charged the transfer says whose they are; of the free ones each account has as many
 * as were archived.
 */
import { readArchivedFree, readArchivedUntil, readSettlements } from '../ledger/read-archive.ts'
import type { AuditContext } from '../ledger/audit-query.ts'
import { parseEntry } from '../ledger/logged-batch.ts'
import type { TransferTable } from '../../platform/db/schema.ts'
import { readLastNumber } from './audit-log-store.ts'
import type { AccountLine } from './entry-facts.ts'

export class ArchivedLeaves {
  readonly #db: AuditContext['db']
  readonly #until: string
  /** By account, archived free requests whose leaves were not met yet. */
  readonly #free: Map<string, number>
  #count = 0

  private constructor(db: AuditContext['db'], until: string, free: ReadonlyMap<string, number>) {
    this.#db = db
    this.#until = until
    this.#free = new Map(free)
  }

  static async open(db: AuditContext['db']): Promise<ArchivedLeaves> {
    return new ArchivedLeaves(db, await readArchivedUntil(db), await readArchivedFree(db))
  }

  /** How many were met. */
  get count(): number {
    return this.#count
  }

  /** The transfers of entries whose record may be archived, by entry; null for a free one. */
  async findTransfers(entries: readonly string[]): Promise<ReadonlyMap<string, TransferTable | null>> {
    const named = entries.flatMap((entry) => {
      const parsed = parseEntry(entry)
      return parsed === null || parsed.kind !== 'request' || parsed.id > this.#until ? [] : [{ entry, id: parsed.id }]
    })
    if (named.length === 0) return new Map()
    this.#count += named.length
    const found = await readSettlements(
      this.#db,
      named.map(({ id }) => id),
    )
    return new Map(named.map(({ entry, id }) => [entry, found.get(id) ?? null]))
  }

  /** Takes running numbers of an account that no leaf here has. @returns false where so many free ones were not archived. */
  takeFree(accountId: string, numbers: number): boolean {
    const left = this.#free.get(accountId) ?? 0
    if (numbers < 0 || numbers > left) return false
    this.#free.set(accountId, left - numbers)
    return true
  }

  /** Accounts whose last numbers are not those of free requests that were archived, in words. */
  async findMissing(lastOf: ReadonlyMap<string, AccountLine>): Promise<readonly string[]> {
    const breaches: string[] = []
    for (const [accountId, left] of this.#free) {
      const met = lastOf.get(JSON.stringify(accountId))?.number ?? 0
      const last = await readLastNumber(this.#db, accountId)
      if (last - met !== left) {
        breaches.push(
          `account ${accountId} has ${last - met} free requests without a record, and ${left} were archived`,
        )
      }
    }
    return breaches
  }
}
