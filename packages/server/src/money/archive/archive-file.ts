/**
 * Room `money/archive`: records of requests in files, and what reads them again. It moves no money: transfers stay in the
 * database. Its invariant: a request leaves the database only once its file is on the disk and reads back as it was.
 * Source: decision 0163.
 *
 * This file: one file of the archive. JSON lines, compressed by gzip: a line that says what follows, then one request a
 * line, oldest first. Columns have their names of the database, amounts are nanocredits as decimal text.
 */
import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { ArchiveFileTable } from '../../platform/db/archive-schema.ts'
import { isMoneyColumn } from '../../platform/db/integer-columns.ts'
import type { ArchivedRequest } from '../ledger/archived-request.ts'

const FORMAT = 'svc-archive'
const VERSION = 1
/** Longest text of one file; a portion has a few megabytes. */
const TEXT_BYTES_MAX = 1 << 30
/** Readable and writable by its owner alone. */
const PRIVATE = 0o600
const PRIVATE_FOLDER = 0o700

/** A file of the archive is not there, or is not what was noted. */
export class ArchiveFileError extends Error {
  constructor(name: string, problem: string) {
    super(`The file ${name} of the archive ${problem}.`)
    this.name = 'ArchiveFileError'
  }
}

/** What names a file and its range. */
export type FileRange = Pick<ArchiveFileTable, 'file_id' | 'first_id' | 'last_id' | 'requests'>

/** Hex digits of a content in the name of its file. */
const NAME_DIGITS = 12

/**
 * The name of a file below the folder: the month of its oldest request, its number, and how its digest begins. So no
 * process that was overtaken writes over a file that another has noted.
 */
export function nameOfFile(
  { fileId, sha256 }: { readonly fileId: number; readonly sha256: string },
  oldestAt: number,
): string {
  const month = new Date(oldestAt).toISOString().slice(0, 7)
  return `${month}/${String(fileId).padStart(8, '0')}-${sha256.slice(0, NAME_DIGITS)}.jsonl.gz`
}

/** The bytes of a file. */
export function encodeFile(range: FileRange, requests: readonly ArchivedRequest[]): Buffer {
  const lines = [{ format: FORMAT, version: VERSION, ...range }, ...requests].map((line) =>
    JSON.stringify(line, (_name, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)),
  )
  return gzipSync(`${lines.join('\n')}\n`)
}

/** SHA-256 as hex digits. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Writes a file so that it is whole or not there, and on the disk when this ends. */
export async function writeFileWhole(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  const path = join(folder, name)
  const unfinished = `${path}.${process.pid}.new`
  await mkdir(dirname(path), { recursive: true, mode: PRIVATE_FOLDER })
  const handle = await open(unfinished, 'w', PRIVATE)
  try {
    await handle.writeFile(bytes)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(unfinished, path)
  await syncFolder(dirname(path))
  await syncFolder(folder)
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Reads the requests of a file, and checks that it is the one that was noted.
 *
 * @throws {ArchiveFileError} where it is missing or another.
 */
export async function readRequests(folder: string, file: ArchiveFileTable): Promise<readonly ArchivedRequest[]> {
  const bytes = await readFile(join(folder, file.name)).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
  if (bytes === null) throw new ArchiveFileError(file.name, `is not in ${folder}`)
  if (bytes.length !== file.byte_length || digestOf(bytes) !== file.sha256) {
    throw new ArchiveFileError(file.name, 'has another content than when it was written')
  }
  return decodeFile(file, bytes)
}

function decodeFile(file: ArchiveFileTable, bytes: Uint8Array): readonly ArchivedRequest[] {
  const [first = '', ...lines] = gunzipSync(bytes, { maxOutputLength: TEXT_BYTES_MAX }).toString().trimEnd().split('\n')
  const head = JSON.parse(first) as Partial<FileRange> & { readonly format?: string; readonly version?: number }
  if (head.format !== FORMAT || head.version !== VERSION) {
    throw new ArchiveFileError(file.name, `is of version ${head.version}, which this program does not read`)
  }
  if (head.file_id !== file.file_id || lines.length !== file.requests) {
    throw new ArchiveFileError(file.name, `says that it is file ${head.file_id}, and has ${lines.length} requests`)
  }
  return lines.map((line) => {
    const { record, hold, extensions } = JSON.parse(line) as ArchivedRequest
    return { record: rowOf(record), hold: rowOf(hold), extensions: extensions.map(rowOf) }
  })
}

/** A row as the database had it: amounts are whole numbers of any size. */
function rowOf<Row extends object>(row: Row): Row {
  const columns = Object.entries(row).map(([name, value]: [string, unknown]) => [
    name,
    isMoneyColumn(name) && typeof value === 'string' ? BigInt(value) : value,
  ])
  return Object.fromEntries(columns) as Row
}
