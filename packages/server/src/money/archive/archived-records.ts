import type { ArchiveFileTable } from '../../platform/db/archive-schema.ts'
import type { ArchivedRequest } from '../ledger/archived-request.ts'
import type { UsageRecordTable } from '../../platform/db/schema.ts'
import { ArchiveFileError, readRequests } from './archive-file.ts'

/** Files whose requests are kept in memory: neighbours in the ledger log are so in the archive, about. */
const FILES_MAX = 8

/** Finds requests in the files of an archive. Each file is checked when it is read. */
export class ArchivedRecords {
  readonly #folder: string
  readonly #files: readonly ArchiveFileTable[]
  readonly #broken = new Set<string>()
  /** By the file's name, the one used last behind all others. */
  readonly #read = new Map<string, ReadonlyMap<string, ArchivedRequest>>()

  /** @param files oldest requests first. */
  constructor(folder: string, files: readonly ArchiveFileTable[]) {
    this.#folder = folder
    this.#files = files
  }

  /**
   * One request; null where no file has it.
   *
   * @throws {ArchiveFileError} when its file is missing or another.
   */
  async find(requestId: string): Promise<ArchivedRequest | null> {
    const file = this.#fileOf(requestId)
    if (file === null) return null
    const requests = this.#read.get(file.name) ?? (await this.#load(file))
    this.#read.delete(file.name)
    this.#read.set(file.name, requests)
    return requests.get(requestId) ?? null
  }

  /** The records of requests, by id. A file that is missing or another has none: the audit of the files names it. */
  async findRecords(requestIds: readonly string[]): Promise<ReadonlyMap<string, UsageRecordTable>> {
    const found = new Map<string, UsageRecordTable>()
    for (const id of requestIds) {
      const request = await this.#findWhole(id)
      if (request !== null) found.set(id, request.record)
    }
    return found
  }

  async #findWhole(requestId: string): Promise<ArchivedRequest | null> {
    const file = this.#fileOf(requestId)
    if (file === null || this.#broken.has(file.name)) return null
    try {
      return await this.find(requestId)
    } catch (error) {
      if (!(error instanceof ArchiveFileError)) throw error
      this.#broken.add(file.name)
      return null
    }
  }

  /** The first file that ends at the request or behind it, if it begins before. */
  #fileOf(requestId: string): ArchiveFileTable | null {
    let [low, high] = [0, this.#files.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#files[middle]?.last_id ?? '') < requestId) low = middle + 1
      else high = middle
    }
    const file = this.#files[low]
    return file !== undefined && file.first_id <= requestId ? file : null
  }

  async #load(file: ArchiveFileTable): Promise<ReadonlyMap<string, ArchivedRequest>> {
    const requests = await readRequests(this.#folder, file)
    const [oldest] = this.#read.keys()
    if (this.#read.size >= FILES_MAX && oldest !== undefined) this.#read.delete(oldest)
    return new Map(requests.map((request) => [request.record.usage_id, request]))
  }
}
