/** What a stream says whose reader has gone: the pipe is broken, or was closed here because of that. */
const READER_GONE: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])

const watched = new WeakSet<NodeJS.WritableStream>()

/**
 * Writes a line for the person who started the program, to standard output or standard error.
 *
 * A reader who has gone, as `head` has after its lines, misses the rest. What the program does goes on to its end, and
 * the exit code says how that was. Any other failure of the stream ends the program.
 */
export function writeLine(stream: NodeJS.WritableStream, text: string): void {
  if (!watched.has(stream)) {
    watched.add(stream)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (!READER_GONE.has(error.code)) throw error
    })
  }
  stream.write(`${text}\n`)
}
