/**
 * What a WebAssembly program of WASI preview 1 needs to read its arguments and write one file, all in memory. It opens
 * no file, no clock and no network. Node's own WASI is not used: it ends the process with this program. Source:
 * WASI snapshot preview 1, witx.
 */

import { type WasmCalls, type WasmMemory, type WasmModule, wasmRuntime } from './web-assembly.ts'

/** Results of calls. */
const SUCCESS = 0
const BAD_DESCRIPTOR = 8
const NO_ENTRY = 44
const NOT_SEEKABLE = 70
/** Kinds of files. */
const CHARACTER_DEVICE = 2
const DIRECTORY = 3
const REGULAR_FILE = 4
/** The one folder that a program finds open, and the first number for what it opens. */
const FOLDER = 3
const FIRST_OPENED = 4
const CREATE = 1

/** Thrown out of the program when it ends itself. */
class ProgramEnd extends Error {
  readonly status: number

  constructor(status: number) {
    super(`The program ended with ${status}.`)
    this.status = status
  }
}

/** A file that grows in memory. */
class GrowingFile {
  #bytes = new Uint8Array(262_144)
  #length = 0

  get length(): number {
    return this.#length
  }

  truncate(): void {
    this.#length = 0
  }

  write(piece: Uint8Array, at: number): void {
    const end = at + piece.length
    if (end > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(end, this.#bytes.length * 2))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(piece, at)
    this.#length = Math.max(this.#length, end)
  }

  content(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }
}

/**
 * Runs a program once.
 * @param words its name and its arguments.
 * @returns the file that it wrote, under whatever name.
 * @throws when it ends with a failure.
 */
export function runProgram(module: WasmModule, words: readonly string[]): Uint8Array {
  const file = new GrowingFile()
  let memory: WasmMemory | null = null
  const imports = createCalls(words, file, () => {
    if (memory === null) throw new Error('The program has no memory yet.')
    return memory.buffer
  })
  const { Instance } = wasmRuntime()
  const { exports } = new Instance(module, { wasi_snapshot_preview1: imports })
  memory = exports.memory
  try {
    exports._start()
  } catch (error) {
    if (!(error instanceof ProgramEnd)) throw error
    if (error.status !== SUCCESS) throw error
  }
  return file.content()
}

function createCalls(words: readonly string[], file: GrowingFile, buffer: () => ArrayBuffer): WasmCalls {
  const encoded = words.map((word) => new TextEncoder().encode(`${word}\0`))
  const view = (): DataView => new DataView(buffer())
  return {
    args_sizes_get: (count: number, size: number) => {
      view().setUint32(count, encoded.length, true)
      view().setUint32(
        size,
        encoded.reduce((sum, word) => sum + word.length, 0),
        true,
      )
      return SUCCESS
    },
    args_get: (pointers: number, text: number) => {
      let at = text
      for (const [index, word] of encoded.entries()) {
        view().setUint32(pointers + index * 4, at, true)
        new Uint8Array(buffer()).set(word, at)
        at += word.length
      }
      return SUCCESS
    },
    clock_time_get: (_clock: number, _precision: bigint, result: number) => {
      view().setBigUint64(result, 0n, true)
      return SUCCESS
    },
    proc_exit: (status: number) => {
      throw new ProgramEnd(status)
    },
    ...createFileCalls(file, buffer),
  }
}

/** What a program does with files: the one that it writes, and its folder. */
function createFileCalls(file: GrowingFile, buffer: () => ArrayBuffer): WasmCalls {
  const view = (): DataView => new DataView(buffer())
  const opened = new Map<number, { position: number }>()
  return {
    fd_prestat_get: (descriptor: number, result: number) => {
      if (descriptor !== FOLDER) return BAD_DESCRIPTOR
      view().setUint8(result, 0)
      view().setUint32(result + 4, 1, true)
      return SUCCESS
    },
    fd_prestat_dir_name: (descriptor: number, path: number) => {
      if (descriptor !== FOLDER) return BAD_DESCRIPTOR
      view().setUint8(path, '.'.charCodeAt(0))
      return SUCCESS
    },
    fd_fdstat_get: (descriptor: number, result: number) => {
      const kind = descriptor === FOLDER ? DIRECTORY : descriptor < FOLDER ? CHARACTER_DEVICE : REGULAR_FILE
      new Uint8Array(buffer()).fill(0, result, result + 24)
      view().setUint8(result, kind)
      view().setBigUint64(result + 8, 0xffff_ffff_ffff_ffffn, true)
      view().setBigUint64(result + 16, 0xffff_ffff_ffff_ffffn, true)
      return SUCCESS
    },
    fd_fdstat_set_flags: () => SUCCESS,
    // Only what shall be written can be opened: there is nothing to read.
    path_open: (...call: readonly number[]) => {
      const [flags = 0, result = 0] = [call[4], call[8]]
      if ((flags & CREATE) === 0) return NO_ENTRY
      file.truncate()
      const descriptor = FIRST_OPENED + opened.size
      opened.set(descriptor, { position: 0 })
      view().setUint32(result, descriptor, true)
      return SUCCESS
    },
    fd_close: () => SUCCESS,
    fd_read: (_descriptor: number, _vectors: number, _count: number, result: number) => {
      view().setUint32(result, 0, true)
      return SUCCESS
    },
    fd_seek: (descriptor: number, offset: bigint, whence: number, result: number) => {
      const place = opened.get(descriptor)
      if (place === undefined) return NOT_SEEKABLE
      place.position = Number(offset) + (whence === 0 ? 0 : whence === 1 ? place.position : file.length)
      view().setBigUint64(result, BigInt(place.position), true)
      return SUCCESS
    },
    fd_write: (descriptor: number, vectors: number, count: number, result: number) => {
      const place = opened.get(descriptor)
      let written = 0
      for (let at = vectors; at < vectors + count * 8; at += 8) {
        const [start, length] = [view().getUint32(at, true), view().getUint32(at + 4, true)]
        if (place !== undefined) {
          file.write(new Uint8Array(buffer(), start, length), place.position)
          place.position += length
        }
        written += length
      }
      view().setUint32(result, written, true)
      return SUCCESS
    },
  }
}
