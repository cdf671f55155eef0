/** Reads the file of a batch line by line, a block at a time: nothing stays open while lines are worked on. */
import { BATCH_LINE_BYTES_MAX } from '@svc/contract'
import { textStart } from '../platform/json/json-body.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { StoredFile } from '../uploads/stored-file.ts'
import type { UploadDeps } from '../uploads/upload-deps.ts'

/** One line of the file that is no blank one. */
export interface InputLine {
  /** Counted from 0, blank lines included. */
  readonly line: number
  /** Where its text is in the file, in bytes. */
  readonly startAt: number
  /** Its text, without the end of the line. */
  readonly bytes: Buffer
  /** Where the next line begins. */
  readonly nextOffset: number
}

/** A line that is longer than any may be. */
export class LineTooLongError extends Error {
  readonly line: number

  constructor(line: number, bytesMax: number) {
    super(`Line ${line + 1} is longer than ${bytesMax} bytes.`)
    this.line = line
  }
}

/** Bytes that are read at a time. Source: own choice. */
const BLOCK_BYTES = 1_048_576
const NEWLINE = 0x0a
const RETURN = 0x0d

export interface InputFile {
  readonly vault: UploadDeps['vault']
  readonly file: Pick<StoredFile, 'mediaName' | 'bytes'>
}

/** @throws {ServiceError} `file_not_found` where the file has gone. */
export async function readInput({ vault, file }: InputFile, start: number, length: number): Promise<Buffer> {
  const end = Math.min(start + length, file.bytes) - 1
  const opened = end < start ? null : await vault.open(file, { start, end })
  if (opened === null) throw new ServiceError('file_not_found', 'The file of the batch has gone.')
  const pieces: Buffer[] = []
  for await (const piece of opened) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Reads lines one after the other. */
export class LineReader {
  readonly #input: InputFile
  readonly #bytesMax: number
  #line: number
  /** Where in the file the buffer begins. */
  #offset: number
  #buffer: Buffer = Buffer.alloc(0)

  /**
   * @param from where the first line begins.
   * @param bytesMax the longest line.
   */
  constructor(
    input: InputFile,
    from: { readonly line: number; readonly offset: number },
    bytesMax: number = BATCH_LINE_BYTES_MAX,
  ) {
    this.#input = input
    this.#bytesMax = bytesMax
    this.#line = from.line
    this.#offset = from.offset
  }

  /**
   * The next line that is no blank one; null at the end of the file.
   *
   * @throws {LineTooLongError}
   * @throws {ServiceError} `file_not_found` where the file has gone.
   */
  async next(): Promise<InputLine | null> {
    for (;;) {
      const end = await this.#findEnd()
      if (end === null) return null
      const text = this.#buffer.subarray(0, end)
      const line = this.#line++
      const startAt = this.#offset
      this.#offset = Math.min(startAt + end + 1, this.#input.file.bytes)
      this.#buffer = this.#buffer.subarray(end + 1)
      const bytes = trimLine(text, startAt)
      if (bytes.length > 0) return { line, startAt, bytes, nextOffset: this.#offset }
    }
  }

  /** Where the line ends in the buffer, which is filled that far; null where there is no line. */
  async #findEnd(): Promise<number | null> {
    let searched = 0
    for (;;) {
      const at = this.#buffer.indexOf(NEWLINE, searched)
      const length = at === -1 ? this.#buffer.length : at
      if (length > this.#bytesMax) throw new LineTooLongError(this.#line, this.#bytesMax)
      if (at !== -1) return at
      searched = this.#buffer.length
      const readTo = this.#offset + this.#buffer.length
      if (readTo >= this.#input.file.bytes) return this.#buffer.length === 0 ? null : this.#buffer.length
      this.#buffer = Buffer.concat([this.#buffer, await readInput(this.#input, readTo, BLOCK_BYTES)])
    }
  }
}

/** Without what some programs write before the text of a file, and at the ends of its lines. */
function trimLine(text: Buffer, startAt: number): Buffer {
  const end = text.at(-1) === RETURN ? text.length - 1 : text.length
  const trimmed = text.subarray(startAt === 0 ? Math.min(textStart(text), end) : 0, end)
  return trimmed.every((byte) => byte === 0x20 || byte === 0x09) ? trimmed.subarray(0, 0) : trimmed
}
