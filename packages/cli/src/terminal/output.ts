import type { Writable } from 'node:stream'
import { CommandError } from '../command-error.ts'
import { withoutControls } from './without-controls.ts'

/** The reader of a pipe has gone: the rest of the command's output is dropped. */
export class ReaderGoneError extends Error {
  constructor() {
    super('The reader of the output has gone.')
    this.name = 'ReaderGoneError'
  }
}

/** A pipe whose reader has gone says `EPIPE`, a closed one that it was destroyed: both mean the same. */
const GONE: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
])

/** Why nothing more can be written: a file whose disk is full is no reader who has had enough. */
function endOf(error: NodeJS.ErrnoException): ReaderGoneError | CommandError {
  if (GONE.has(error.code)) return new ReaderGoneError()
  return new CommandError(`The output could not be written: ${error.message}.`, {
    advice: 'What was written so far is not all of it.',
    cause: error,
  })
}

/** Where text goes: standard output or standard error. */
export interface Output {
  readonly isTerminal: boolean
  /** Columns of the terminal; 80 where there is none. */
  readonly width: () => number
  readonly hasColour: boolean
  /**
   * Writes and waits until there is room again. What comes from elsewhere (a model's answer, a name) cannot steer the
   * terminal: control characters are taken out where one reads.
   *
   * @throws {ReaderGoneError} when the reader of the pipe has gone.
   * @throws {CommandError} when it cannot be written otherwise.
   */
  text(text: string): Promise<void>
  line(text: string): Promise<void>
  /** Writes exactly these bytes: files, and sequences that are meant for the terminal. @throws {ReaderGoneError} */
  bytes(bytes: Uint8Array | string): Promise<void>
}

const DEFAULT_WIDTH = 80

interface TerminalStream {
  readonly isTTY?: boolean
  readonly columns?: number
}

/**
 * @param options.hasColour whether decoration is wanted at all; without a terminal there is none.
 * @param options.onEnd called once with why nothing more can be written.
 */
export function createOutput(
  stream: Writable & TerminalStream,
  options: {
    readonly hasColour: boolean
    readonly onEnd: (reason: Error) => void
    /** What is taken out of every text; nothing when absent. */
    readonly clean?: (text: string) => string
  },
): Output {
  const isTerminal = stream.isTTY === true
  let end: Error | null = null
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (end !== null) return
    end = endOf(error)
    options.onEnd(end)
  })
  const write = (chunk: Uint8Array | string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (end !== null) {
        reject(end)
        return
      }
      const cleaned = typeof chunk === 'string' ? (options.clean?.(chunk) ?? chunk) : chunk
      stream.write(cleaned, (error) => {
        if (error === null || error === undefined) resolve()
        else reject(endOf(error))
      })
    })
  const text = (value: string): Promise<void> => write(isTerminal ? withoutControls(value) : value)
  return {
    isTerminal,
    width: () => stream.columns ?? DEFAULT_WIDTH,
    hasColour: isTerminal && options.hasColour,
    text,
    line: (value) => text(`${value}\n`),
    bytes: write,
  }
}
