/**
 * The settlements of this process that the database does not take at the moment, in a file of its own in the data
 * folder. What the file holds is durable: the answer may leave, and its charge is booked from the file, by this process
 * or by the one that starts on its folder. The file is made with the first settlement that needs it.
 *
 * Source: decision 0071 (settlements outlive an outage).
 */
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockFile } from '../../platform/db/file-lock.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { SettleHold } from '../ledger/operations.ts'
import type { MonotonicClock } from '../../platform/runtime/clock.ts'
import { encodeRecord } from './journal-record.ts'

/**
 * Bytes after which no new work is begun, some 80,000 settlements. What runs already is still taken down. Source: own
 * choice.
 */
const BYTES_MAX = 64 * 1_048_576
/** A file that is longer is written anew once most of it is settled. */
const COMPACT_FROM = 1_048_576

/** Ends the name of a file of settlements; the part before it is the process that wrote it. */
export const JOURNAL_SUFFIX = '.journal'

/** The folder of such files within a data folder. */
export function journalFolder(dataDir: string): string {
  return join(dataDir, 'settlements')
}

/** The file whose lock says that the writer of a journal lives. */
export function journalLock(path: string): string {
  return `${path}.lock`
}

/**
 * Writes all of the bytes: a disk that is nearly full takes a part and reports no failure.
 * @throws the disk's error.
 */
export async function writeAll(file: Pick<FileHandle, 'write'>, bytes: Buffer, at: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    written += (await file.write(bytes, written, bytes.length - written, at + written)).bytesWritten
  }
}

/** Makes what was done to the names in a folder durable. */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export interface SettlementJournalOptions {
  /** Of files of settlements; made where it is missing. */
  readonly folder: string
  /** This process's name in the leases. */
  readonly processId: string
  readonly clock: MonotonicClock
  readonly bytesMax?: number
  /** Called when settlements begin to wait, and when none waits any more, with how many had. They must not throw. */
  readonly onWaiting?: (path: string) => void
  readonly onEmpty?: (settled: number) => void
}

interface Waiting {
  readonly line: string
  readonly since: number
}

interface Unflushed {
  readonly operation: SettleHold
  readonly line: string
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export class SettlementJournal {
  readonly path: string
  readonly #options: SettlementJournalOptions
  readonly #waiting = new Map<string, Waiting>()
  #waitingBytes = 0
  #settled = 0
  #queue: Unflushed[] = []
  #running: Promise<void> | null = null
  #mayShrink = false
  #file: FileHandle | null = null
  #unlock: (() => void) | null = null
  /** Bytes of the file that are known to be durable. */
  #length = 0
  #failure: Error | null = null

  constructor(options: SettlementJournalOptions) {
    this.#options = options
    this.path = join(options.folder, `${options.processId}${JOURNAL_SUFFIX}`)
  }

  /** How many settlements wait for the database, since when in milliseconds (0 for none), and the bytes of their file. */
  figures(): { readonly waiting: number; readonly oldestMs: number; readonly fileBytes: number } {
    const [oldest] = this.#waiting.values()
    return {
      waiting: this.#waiting.size,
      fileBytes: this.#length,
      oldestMs: oldest === undefined ? 0 : this.#options.clock.elapsed() - oldest.since,
    }
  }

  /** @throws {ServiceError} 503 when nothing more can be taken down: work that begins now might never be charged. */
  checkRoom(): void {
    if (this.#length < (this.#options.bytesMax ?? BYTES_MAX)) return
    const text = 'The gateway waits for its database and can take no more requests. Try again shortly.'
    throw new ServiceError('server_is_overloaded', text, { retryAfterSeconds: 5 })
  }

  /**
   * Takes a settlement down. Those that come while others are flushed share the next flush.
   * @throws the disk's error: then the file holds nothing of it.
   */
  write(operation: SettleHold): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#queue.push({ operation, line: encodeRecord(operation), resolve, reject })
    this.#run()
    return promise
  }

  /** The ledger has answered: the settlement does not wait any more. */
  remove(holdId: string): void {
    const waiting = this.#waiting.get(holdId)
    if (waiting === undefined) return
    this.#waiting.delete(holdId)
    this.#waitingBytes -= waiting.line.length
    this.#settled += 1
    if (this.#waiting.size === 0) {
      this.#options.onEmpty?.(this.#settled)
      this.#settled = 0
    }
    const isMostlySettled = this.#length > COMPACT_FROM && this.#waitingBytes * 2 < this.#length
    if (this.#waiting.size > 0 && !isMostlySettled) return
    this.#mayShrink = true
    this.#run()
  }

  /** Waits for what is being written. The file stays where settlements wait in it, and is removed otherwise. */
  async close(): Promise<void> {
    await this.#running
    await this.#file?.close()
    this.#file = null
    if (this.#unlock === null) return
    if (this.#waiting.size === 0) {
      await rm(this.path, { force: true })
      await rm(journalLock(this.path), { force: true })
    }
    this.#unlock()
    this.#unlock = null
  }

  #run(): void {
    this.#running ??= this.#work().finally(() => {
      this.#running = null
    })
  }

  async #work(): Promise<void> {
    // What comes in the same turn of the event loop shares the first flush.
    await Promise.resolve()
    while (this.#queue.length > 0 || this.#mayShrink) {
      const group = this.#queue
      this.#queue = []
      if (group.length > 0) await this.#append(group)
      // Where that fails the file is longer than it must be, and no worse.
      else await this.#shrink().catch(() => undefined)
    }
  }

  async #append(group: readonly Unflushed[]): Promise<void> {
    try {
      if (this.#failure !== null) throw this.#failure
      const file = await this.#open()
      const bytes = Buffer.from(group.map(({ line }) => line).join(''))
      await this.#flush(file, bytes)
      this.#length += bytes.length
    } catch (error) {
      for (const { reject } of group) reject(error)
      return
    }
    if (this.#waiting.size === 0) this.#options.onWaiting?.(this.path)
    const since = this.#options.clock.elapsed()
    for (const { operation, line, resolve } of group) {
      this.#waitingBytes += line.length - (this.#waiting.get(operation.holdId)?.line.length ?? 0)
      this.#waiting.set(operation.holdId, { line, since })
      resolve()
    }
  }

  /** Appends to the file. If the disk refuses, the file is cut to its old length, or it takes no more. */
  async #flush(file: FileHandle, bytes: Buffer): Promise<void> {
    try {
      await writeAll(file, bytes, this.#length)
      await file.datasync()
    } catch (error) {
      try {
        await file.truncate(this.#length)
        await file.datasync()
      } catch (cause) {
        this.#failure = new Error('the journal of settlements cannot be written any more', { cause })
      }
      throw error
    }
  }

  async #open(): Promise<FileHandle> {
    if (this.#file !== null) return this.#file
    const { folder } = this.#options
    await mkdir(folder, { recursive: true, mode: 0o700 })
    // Before the file, so that no process takes it for one of a process that is gone.
    this.#unlock ??= lockFile(journalLock(this.path))
    const file = await open(this.path, 'w+', 0o600)
    try {
      await flushFolder(folder)
    } catch (error) {
      await file.close()
      throw error
    }
    this.#length = 0
    this.#file = file
    return file
  }

  /** Gives back the room of what is settled. @throws the disk's error. */
  async #shrink(): Promise<void> {
    this.#mayShrink = false
    if (this.#file === null || this.#failure !== null) return
    if (this.#waiting.size === 0) {
      // Not flushed: a settlement that comes back after a loss of power is found settled.
      await this.#file.truncate(0)
      this.#length = 0
      return
    }
    const path = `${this.path}.new`
    const bytes = Buffer.from([...this.#waiting.values()].map(({ line }) => line).join(''))
    const before = this.#file
    const file = await open(path, 'w+', 0o600)
    try {
      await writeAll(file, bytes, 0)
      await file.datasync()
      await rename(path, this.path)
    } catch (error) {
      await file.close()
      await rm(path, { force: true })
      throw error
    }
    this.#file = file
    this.#length = bytes.length
    await before.close()
    await flushFolder(this.#options.folder)
  }
}
