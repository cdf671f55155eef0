/**
 * Room for files that come with requests: on disk beyond a small buffer, within limits over all requests, and never
 * left behind. It knows no request and no form.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../errors/service-error.ts'
import { type SpoolAccount, SpooledFile } from './spooled-file.ts'

/** A file up to this size stays in memory, in bytes. Source: own choice; a voice message of ten seconds fits. */
const MEMORY_BYTES = 128 * 1024

/** Memory of all files together, in bytes; what comes beyond it goes to disk whatever its size. Source: own choice. */
const MEMORY_BYTES_ALL = 32 * 1024 * 1024

export interface SpoolOptions {
  /** Made where it is missing. */
  readonly folder: string
  /** Bytes of all files together, on disk and in memory; read with each part of a file. */
  readonly bytesMax: number
  /** As `MEMORY_BYTES`. */
  readonly memoryBytesMax?: number
}

/** Makes spooled files and counts what they keep. */
export class Spool {
  readonly #options: SpoolOptions
  #bytes = 0
  #memory = 0

  constructor(options: SpoolOptions) {
    this.#options = options
  }

  /** Bytes that are kept now, over all files. */
  get bytes(): number {
    return this.#bytes
  }

  /** Bytes of them that are in memory. */
  get memoryBytes(): number {
    return this.#memory
  }

  /** A new, empty file. */
  create(): SpooledFile {
    const { folder, memoryBytesMax = MEMORY_BYTES } = this.#options
    const account: SpoolAccount = {
      take: (bytes) => {
        if (this.#bytes + bytes > this.#options.bytesMax) {
          throw new ServiceError('server_is_overloaded', 'The gateway has reached its limit of simultaneous uploads.', {
            retryAfterSeconds: 1,
          })
        }
        this.#bytes += bytes
      },
      give: (bytes) => {
        this.#bytes -= bytes
      },
      takeMemory: (bytes) => {
        if (this.#memory + bytes > MEMORY_BYTES_ALL) return false
        this.#memory += bytes
        return true
      },
      giveMemory: (bytes) => {
        this.#memory -= bytes
      },
    }
    return new SpooledFile({ folder, account, memoryBytesMax })
  }
}

/** Name of the folder for uploads, below the data folder. */
const FOLDER = 'uploads'

/**
 * Opens the room for uploads in a data folder. A file has a name there for the moment between its making and its
 * unlinking only; what a process that was killed in that moment has left is removed.
 */
export function openSpool({
  dataDir,
  limits,
}: {
  readonly dataDir: string
  readonly limits: { readonly uploadBytesInFlight: number }
}): Spool {
  const folder = join(dataDir, FOLDER)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true })
  return new Spool({
    folder,
    get bytesMax() {
      return limits.uploadBytesInFlight
    },
  })
}
