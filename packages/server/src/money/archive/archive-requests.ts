/** Moves records of requests out of the database into files, portion by portion. */
import type { ArchiveFileTable } from '../../platform/db/archive-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { leastIdOf } from '../../platform/runtime/ids.ts'
import type { ArchivedRequest, ArchiveStore } from '../ledger/archived-request.ts'
import { carriedSumsOf } from '../ledger/carried-sums.ts'
import { parseEntry } from '../ledger/logged-batch.ts'
import { digestOf, encodeFile, nameOfFile, readRequests, writeFileWhole } from './archive-file.ts'

export interface ArchiveDeps {
  readonly store: ArchiveStore
  readonly clock: Clock
  /** Entries that the ledger log has not put down yet: it reads their rows. */
  readonly listWaiting: () => AsyncIterable<string> | Iterable<string>
  /** Asked before each portion: takes or keeps the right to archive, which one process has at a time. */
  readonly mayGoOn: () => Promise<boolean>
  /** Gives the right back. */
  readonly release: () => Promise<void>
  /** What is waited for between two portions, so that requests are served meanwhile; nothing where absent. */
  readonly pause?: () => Promise<void>
}

export interface ArchiveRequest {
  /** Where the files are. */
  readonly folder: string
  /** Requests that began and ended before: milliseconds since the epoch. */
  readonly before: number
  /** Counts what would leave, and changes nothing. */
  readonly isDryRun: boolean
}

export interface ArchiveResult {
  readonly files: number
  readonly requests: number
  /** Of the files; 0 of a dry run. */
  readonly bytes: number
}

/**
 * What is younger stays, in days: a batch and what is kept for Idempotency-Keys, stored responses and journals of
 * settlements refer to records for a month at most. Source: own choice.
 */
export const ARCHIVE_DAYS_MIN = 35
const DAY_MS = 86_400_000

/**
 * Requests in one file, and in one transaction: requests on embedded storage wait that long, a fifth of a second.
 * Source: measured (docs/operations.md, growth).
 */
const PORTION = 2_000

/**
 * Moves them. Each portion is written, read back, and then noted and removed in one transaction: whatever ends this in
 * between leaves all in the database and at most a file that the next run replaces.
 *
 * @throws {ServiceError} `invalid_value` for a time that is too young, a folder that is not the archive's, and while the
 *   ledger log has not put down all of it; `limit_reached` while another process archives.
 * @throws {ArchiveFileError} when a file does not read back.
 */
export async function archiveRequests(deps: ArchiveDeps, request: ArchiveRequest): Promise<ArchiveResult> {
  const { before, isDryRun } = request
  const youngest = deps.clock.now() - ARCHIVE_DAYS_MIN * DAY_MS
  if (before > youngest) {
    const text = `Requests of the last ${ARCHIVE_DAYS_MIN} days stay: give a time before ${new Date(youngest).toISOString()}.`
    throw new ServiceError('invalid_value', text, { param: 'before' })
  }
  if (isDryRun) return movePortions(deps, request)
  if (!(await deps.mayGoOn())) {
    throw new ServiceError('limit_reached', 'Another process archives requests now. Try again when it has ended.')
  }
  try {
    return await movePortions(deps, request)
  } finally {
    await deps.release()
  }
}

/** A run that has lost its right ends: another goes on where it was. */
async function movePortions(deps: ArchiveDeps, request: ArchiveRequest): Promise<ArchiveResult> {
  const { store } = deps
  const { before, isDryRun } = request
  const below = leastIdOf(before)
  await requirePutDown(deps, below)
  let last = await store.findLast()
  if (last !== null && !isDryRun) await requireFolder(request.folder, last)
  const result = { files: 0, requests: 0, bytes: 0 }
  for (let after = last?.last_id ?? ''; ;) {
    const requests = await store.readPortion({ afterId: after, endedBefore: before, belowId: below, limit: PORTION })
    if (requests.length === 0) return result
    result.files += 1
    result.requests += requests.length
    after = requests.at(-1)?.record.usage_id ?? after
    if (isDryRun) continue
    last = await takePortion(deps, request.folder, { requests, fileId: (last?.file_id ?? 0) + 1 })
    result.bytes += last.byte_length
    await deps.pause?.()
    if (!(await deps.mayGoOn())) return result
  }
}

async function requirePutDown({ listWaiting }: ArchiveDeps, below: string): Promise<void> {
  for await (const text of listWaiting()) {
    const entry = parseEntry(text)
    if (entry === null || entry.kind === 'transfer' || entry.id >= below) continue
    const told =
      'The ledger log has not put down all of these requests yet: run a gateway until it has, and see its log.'
    throw new ServiceError('invalid_value', told, { param: 'before' })
  }
}

/** A mistyped folder must not become a second archive. */
async function requireFolder(folder: string, last: ArchiveFileTable): Promise<void> {
  try {
    await readRequests(folder, last)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new ServiceError('invalid_value', `${folder} is not the folder of this archive: ${reason}`, { param: 'to' })
  }
}

interface Portion {
  readonly requests: readonly ArchivedRequest[]
  readonly fileId: number
}

async function takePortion(
  { store, clock }: ArchiveDeps,
  folder: string,
  { requests, fileId }: Portion,
): Promise<ArchiveFileTable> {
  const ids = requests.map(({ record }) => record.usage_id)
  const range = { file_id: fileId, first_id: ids[0] ?? '', last_id: ids.at(-1) ?? '', requests: requests.length }
  const bytes = encodeFile(range, requests)
  const sha256 = digestOf(bytes)
  const file: ArchiveFileTable = {
    ...{ ...range, name: nameOfFile({ fileId, sha256 }, requests[0]?.record.started_at ?? 0) },
    ...{ byte_length: bytes.length, sha256, archived_at: clock.now() },
  }
  await writeFileWhole(folder, file.name, bytes)
  // What is added up is what the file gives back, so that a fault of either would show.
  const sums = carriedSumsOf(await readRequests(folder, file))
  await store.take(file, sums, ids)
  return file
}
