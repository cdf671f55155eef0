/**
 * What was settled lately, in files of the data folder, for the case that a database loses what it had confirmed. Nobody
 * waits for them: they are written a second later, and not flushed.
 *
 * Source: decision 0072 (charges that a fail-over lost).
 */
import { appendFile, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SettleHold } from '../ledger/operations.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { decodeRecords, encodeRecord } from './journal-record.ts'

/**
 * A file is put aside after so long or so many bytes, in the place of the one before: what is kept reaches back ten to
 * twenty minutes, where no more than some 20,000 settlements came in them. Source: own choice.
 */
const FILE_MS = 600_000
const FILE_BYTES = 16 * 1_048_576
/** Bytes of settlements that wait to be written at most; those beyond are not taken down. Source: own choice. */
const BUFFERED_MAX = 16 * 1_048_576
/** They wait in pieces of so many bytes. */
const PIECE_BYTES = 256 * 1_024

const SUFFIX = '.recent'
const ASIDE_SUFFIX = '.recent.before'

export interface RecentSettlementsOptions {
  /** Of files of settlements; made where it is missing. */
  readonly folder: string
  /** This process's name in the leases. */
  readonly processId: string
  readonly clock: Clock
}

export class RecentSettlements {
  readonly #options: RecentSettlementsOptions
  readonly #path: string
  /** Full pieces, and the one that is being filled. */
  #full: Buffer[] = []
  #piece = Buffer.alloc(0)
  #filled = 0
  #bytes = 0
  #beganAt = 0
  #writing = Promise.resolve()

  constructor(options: RecentSettlementsOptions) {
    this.#options = options
    this.#path = join(options.folder, `${options.processId}${SUFFIX}`)
  }

  /**
   * Notes a settlement that the database has confirmed. Costs no input or output. It is written down as bytes at once:
   * thousands of operations that are kept for a second are copied again and again by the collector.
   */
  note(operation: SettleHold): void {
    if (operation.charge === 0n && operation.lost === 0n) return
    if (this.#full.length * PIECE_BYTES >= BUFFERED_MAX) return
    const line = encodeRecord(operation)
    // A character has three bytes at most in UTF-8.
    if (this.#piece.length - this.#filled < line.length * 3) this.#begin(Math.max(PIECE_BYTES, line.length * 3))
    this.#filled += this.#piece.write(line, this.#filled)
  }

  #begin(bytes: number): void {
    if (this.#filled > 0) this.#full.push(this.#piece.subarray(0, this.#filled))
    this.#piece = Buffer.allocUnsafeSlow(bytes)
    this.#filled = 0
  }

  /** Takes what waits. */
  #take(): readonly Buffer[] {
    const pieces = [...this.#full, this.#piece.subarray(0, this.#filled)].filter(({ length }) => length > 0)
    this.#full = []
    // The rest of the piece is filled while this one is written.
    this.#piece = this.#piece.subarray(this.#filled)
    this.#filled = 0
    return pieces
  }

  /** Writes what was noted. @throws what the disk said; what was noted is then forgotten. */
  flush(): Promise<void> {
    const write = this.#writing.then(() => this.#write())
    this.#writing = write.catch(() => undefined)
    return write
  }

  /** What was settled lately, by this process and by those before it on the folder. */
  async read(): Promise<readonly SettleHold[]> {
    await this.flush()
    const settlements: SettleHold[] = []
    for (const path of await this.#files()) {
      const text = await readFile(path, 'utf8').catch(() => '')
      settlements.push(...decodeRecords(text).records)
    }
    return settlements
  }

  /** Removes files of other processes that are older than what is kept. */
  async removeOld(): Promise<void> {
    const before = this.#options.clock.now() - 2 * FILE_MS
    for (const path of await this.#files()) {
      const file = path.startsWith(this.#path) ? null : await stat(path).catch(() => null)
      if (file !== null && file.mtimeMs < before) await rm(path, { force: true })
    }
  }

  async #write(): Promise<void> {
    const pieces = this.#take()
    if (pieces.length === 0) return
    const now = this.#options.clock.now()
    if (this.#bytes > FILE_BYTES || now - this.#beganAt > FILE_MS) {
      await mkdir(this.#options.folder, { recursive: true, mode: 0o700 })
      if (this.#bytes > 0) await rename(this.#path, `${this.#path}${ASIDE_SUFFIX.slice(SUFFIX.length)}`)
      this.#bytes = 0
      this.#beganAt = now
    }
    for (const piece of pieces) {
      await appendFile(this.#path, piece, { mode: 0o600 })
      this.#bytes += piece.length
    }
  }

  async #files(): Promise<readonly string[]> {
    const names = await readdir(this.#options.folder).catch(() => [])
    return names
      .filter((name) => name.endsWith(SUFFIX) || name.endsWith(ASIDE_SUFFIX))
      .map((name) => join(this.#options.folder, name))
  }
}
