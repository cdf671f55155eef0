import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ServiceError } from '../errors/service-error.ts'

/** Where the bytes of a file are: as they are handed to another thread, without copying what is on disk. */
export type FileBytes =
  | { readonly kind: 'memory'; readonly bytes: Buffer }
  | { readonly kind: 'disk'; readonly fd: number }

/** What a file takes from, for as long as it lives. */
export interface SpoolAccount {
  /** @throws {ServiceError} `server_is_overloaded` when too many bytes are kept already. */
  take(bytes: number): void
  give(bytes: number): void
  /** Takes memory, or says that there is none left. */
  takeMemory(bytes: number): boolean
  giveMemory(bytes: number): void
}

/** Bytes of one read while a file is streamed. */
const READ_BYTES = 64 * 1024

/** Errors of a file system that has no room or no files left. */
const FULL = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EFBIG'])

function spoolFailure(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!FULL.has(code)) return error
  return new ServiceError('server_is_overloaded', 'The gateway has no room for this upload at the moment.', {
    retryAfterSeconds: 5,
    internal: { spool: code },
    cause: error,
  })
}

/**
 * A file that came with a request: its first bytes in memory, all of them on disk once they are more than that.
 *
 * The file on disk has no name: it is unlinked as soon as it is open, so that nothing can be left behind, however the
 * process ends. Its holder calls `discard` at every end.
 */
export class SpooledFile {
  readonly #folder: string
  readonly #account: SpoolAccount
  readonly #memoryBytesMax: number
  #chunks: Buffer[] = []
  #length = 0
  #inMemory = 0
  #handle: FileHandle | null = null
  #isDiscarded = false
  /** The append that runs now: closing waits for it. */
  #appending: Promise<void> = Promise.resolve()

  /** @param options.memoryBytesMax a larger file goes to disk. */
  constructor(options: { readonly folder: string; readonly account: SpoolAccount; readonly memoryBytesMax: number }) {
    this.#folder = options.folder
    this.#account = options.account
    this.#memoryBytesMax = options.memoryBytesMax
  }

  get byteLength(): number {
    return this.#length
  }

  /** The whole file as it lies. Nothing may be appended or discarded while another thread reads it. */
  get bytes(): FileBytes {
    if (this.#handle !== null) return { kind: 'disk', fd: this.#handle.fd }
    return { kind: 'memory', bytes: Buffer.concat(this.#chunks) }
  }

  /**
   * Adds bytes at the end. One call at a time: the caller waits for each.
   *
   * @throws {ServiceError} `server_is_overloaded` when there is no room for them.
   */
  append(chunk: Buffer): Promise<void> {
    this.#appending = this.#append(chunk)
    return this.#appending
  }

  /**
   * Reads a part of the file, or what there is of it.
   *
   * @param start in bytes from the beginning.
   */
  async read(start: number, length: number): Promise<Buffer> {
    const size = Math.max(0, Math.min(length, this.#length - start))
    if (this.#handle === null) return Buffer.concat(this.#chunks).subarray(start, start + size)
    const buffer = Buffer.allocUnsafe(size)
    const { bytesRead } = await this.#handle.read(buffer, 0, size, start)
    return buffer.subarray(0, bytesRead)
  }

  /** The whole file once more, from the beginning; may be asked for several times. */
  stream(): Readable {
    return Readable.from(this.#pieces(), { objectMode: false, highWaterMark: READ_BYTES })
  }

  /** Gives everything back. Calling it twice is harmless; it never rejects. */
  async discard(): Promise<void> {
    if (this.#isDiscarded) return
    this.#isDiscarded = true
    await this.#appending.catch(() => undefined)
    this.#chunks = []
    this.#account.giveMemory(this.#inMemory)
    this.#account.give(this.#length)
    // Waits for reads that are under way.
    await this.#handle?.close().catch(() => undefined)
  }

  async #append(chunk: Buffer): Promise<void> {
    if (this.#isDiscarded) return
    this.#account.take(chunk.length)
    const start = this.#length
    this.#length += chunk.length
    try {
      if (this.#handle === null && this.#keepInMemory(chunk)) return
      this.#handle ??= await this.#toDisk()
      await writeAll(this.#handle, chunk, start)
    } catch (error) {
      throw spoolFailure(error)
    }
  }

  #keepInMemory(chunk: Buffer): boolean {
    if (this.#length > this.#memoryBytesMax || !this.#account.takeMemory(chunk.length)) return false
    this.#inMemory += chunk.length
    // A copy: the chunk is often a small view into a large buffer of the socket, which it would keep alive.
    this.#chunks.push(Buffer.from(chunk))
    return true
  }

  /** Opens the file on disk and moves to it what is in memory so far. */
  async #toDisk(): Promise<FileHandle> {
    const handle = await openNameless(this.#folder)
    try {
      await writeAll(handle, Buffer.concat(this.#chunks), 0)
    } catch (error) {
      await handle.close()
      throw error
    }
    this.#chunks = []
    this.#account.giveMemory(this.#inMemory)
    this.#inMemory = 0
    return handle
  }

  async *#pieces(): AsyncGenerator<Buffer> {
    if (this.#handle === null) {
      yield* this.#chunks
      return
    }
    for (let start = 0; start < this.#length; start += READ_BYTES) yield await this.read(start, READ_BYTES)
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, crypto.randomUUID())
  const handle = await open(path, 'wx+', 0o600)
  // Forced: another process that starts in this folder may have removed the name already.
  await rm(path, { force: true })
  return handle
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, position + written)
    written += bytesWritten
  }
}
