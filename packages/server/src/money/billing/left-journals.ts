/**
 * Settlements that processes which are gone have left in the data folder: the process on the folder writes them, one
 * of them for each file.
 *
 * Source: decision 0071 (settlements outlive an outage).
 */
import { readdir, readFile, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { lockFile } from '../../platform/db/file-lock.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { SettleHold, SettleResult } from '../ledger/operations.ts'
import type { SystemClock } from '../../platform/runtime/clock.ts'
import { decodeRecords } from './journal-record.ts'
import { JOURNAL_SUFFIX, journalLock } from './settlement-journal.ts'

/** Settlements that are asked for at a time: requests wait beside them. */
const SETTLEMENTS_AT_ONCE = 250

/** The listeners to such files. None of them may throw. */
export interface LeftJournalEvents {
  /** A file was found. @param damagedLines of it cannot be read: the file is kept beside. */
  readonly onFound: (path: string, found: { readonly settlements: number; readonly damagedLines: number }) => void
  /** The ledger has answered to one. */
  readonly onSettled: (settlement: SettleHold, result: SettleResult) => void
  /** The ledger refuses one, and would refuse it again: the file is kept beside. */
  readonly onRefused: (settlement: SettleHold, error: unknown) => void
  /** All that the file holds is answered. @param keptAs the name under which it is kept; null where it is removed. */
  readonly onDone: (path: string, keptAs: string | null) => void
}

export interface LeftJournalsOptions extends LeftJournalEvents {
  /** Of files of settlements. */
  readonly folder: string
  /** The file of this process, which is no concern of these. */
  readonly ownPath: string
  readonly ledger: Pick<Ledger, 'submit'>
  readonly clock: SystemClock
}

interface LeftJournal {
  readonly path: string
  readonly unlock: () => void
  readonly waiting: Map<string, SettleHold>
  /** When the first was settled, by the monotonic clock of this process. */
  readonly waitsSince: number
  /** Whether something in it has to be looked at by a person. */
  isKept: boolean
}

export class LeftJournals {
  readonly #options: LeftJournalsOptions
  readonly #journals = new Map<string, LeftJournal>()
  #running: Promise<void> | null = null

  constructor(options: LeftJournalsOptions) {
    this.#options = options
  }

  /** Whether a settlement of a hold waits here: it must not be estimated. */
  has(holdId: string): boolean {
    return [...this.#journals.values()].some(({ waiting }) => waiting.has(holdId))
  }

  /** How many wait, and since when the first was settled, in milliseconds; 0 for none. */
  figures(): { readonly waiting: number; readonly oldestMs: number } {
    const waiting = [...this.#journals.values()].filter((journal) => journal.waiting.size > 0)
    const now = this.#options.clock.elapsed()
    return {
      waiting: waiting.reduce((sum, journal) => sum + journal.waiting.size, 0),
      oldestMs: Math.max(0, ...waiting.map(({ waitsSince }) => now - waitsSince)),
    }
  }

  /**
   * Takes over files whose writer is gone, and writes what waits in them, oldest first. What the database does not take
   * now stays for the next time.
   * @throws what the disk said where a file cannot be read.
   */
  replay(): Promise<void> {
    this.#running ??= this.#replay().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  /** Gives the files free that are not done, for the next process. */
  async close(): Promise<void> {
    await this.#running?.catch(() => undefined)
    for (const { unlock } of this.#journals.values()) unlock()
    this.#journals.clear()
  }

  async #replay(): Promise<void> {
    const { folder, ownPath } = this.#options
    for (const name of (await namesIn(folder)).toSorted()) {
      const path = join(folder, name)
      if (name.endsWith(JOURNAL_SUFFIX) && path !== ownPath && !this.#journals.has(path)) await this.#take(path)
    }
    for (const journal of this.#journals.values()) await this.#settle(journal)
  }

  async #take(path: string): Promise<void> {
    let unlock: () => void
    try {
      unlock = lockFile(journalLock(path))
    } catch {
      // Its writer lives, or another process has taken it.
      return
    }
    try {
      const text = await readFile(path, 'utf8').catch(unlessMissing)
      if (text === null) return await removeLock(path, unlock)
      const { records, damagedLines } = decodeRecords(text)
      const waiting = new Map(records.map((record) => [record.holdId, record]))
      const { clock } = this.#options
      const ageMs = records.reduce((most, { now }) => Math.max(most, clock.now() - now), 0)
      const state = { waitsSince: clock.elapsed() - ageMs, isKept: damagedLines > 0 }
      this.#journals.set(path, { path, unlock, waiting, ...state })
      this.#options.onFound(path, { settlements: waiting.size, damagedLines })
    } catch (error) {
      unlock()
      throw error
    }
  }

  async #settle(journal: LeftJournal): Promise<void> {
    const { waiting, path } = journal
    while (waiting.size > 0) {
      const group = [...waiting.values()].slice(0, SETTLEMENTS_AT_ONCE)
      const answers = await Promise.all(group.map((settlement) => this.#write(journal, settlement)))
      if (answers.includes(false)) return
    }
    const keptAs = journal.isKept ? `${path}.kept` : null
    if (keptAs === null) await rm(path, { force: true })
    else await rename(path, keptAs)
    this.#journals.delete(path)
    await removeLock(path, journal.unlock)
    this.#options.onDone(path, keptAs === null ? null : basename(keptAs))
  }

  /** @returns false when the database does not take it now. */
  async #write(journal: LeftJournal, settlement: SettleHold): Promise<boolean> {
    try {
      const result = await this.#options.ledger.submit(settlement)
      this.#options.onSettled(settlement, result)
    } catch (error) {
      if (error instanceof ServiceError) return false
      journal.isKept = true
      this.#options.onRefused(settlement, error)
    }
    journal.waiting.delete(settlement.holdId)
    return true
  }
}

async function removeLock(path: string, unlock: () => void): Promise<void> {
  await rm(journalLock(path), { force: true })
  unlock()
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null
  throw error
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(unlessMissing)) ?? []
}
