import type { Writable } from 'node:stream'
import { withoutControls } from './without-controls.ts'

/** The reader of a pipe has gone: whatever the command still had to say, nobody wants it. */
export class ReaderGoneError extends Error {
  constructor() {
    super('The reader of the output has gone.')
    this.name = 'ReaderGoneError'
  }
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

/** @param options.hasColour whether decoration is wanted at all; without a terminal there is none. */
export function createOutput(
  stream: Writable & TerminalStream,
  options: { readonly hasColour: boolean; readonly onGone: () => void },
): Output {
  const isTerminal = stream.isTTY === true
  let isGone = false
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A pipe whose reader has gone says EPIPE, a closed one says that it was destroyed: both mean the same.
    if (!isGone) options.onGone()
    isGone = true
    void error
  })
  const write = (chunk: Uint8Array | string): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isGone) {
        reject(new ReaderGoneError())
        return
      }
      stream.write(chunk, (error) => {
        if (error === null || error === undefined) resolve()
        else reject(new ReaderGoneError())
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
