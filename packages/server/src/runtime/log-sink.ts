import { destination } from 'pino'
import type { LogSink } from './log.ts'

/**
 * Lines are kept back until so many bytes are there, or until the time is up. A write per line is a measurable part of
 * a request.
 */
const BUFFER_BYTES = 32 * 1024
const WRITE_BYTES_MAX = 128 * 1024
const FLUSH_MS = 200

export interface BufferedLogSink extends LogSink {
  /** Writes what is kept back. Call it when the process ends, however it ends. */
  flush(): void
}

/** Opens standard output as a log that is written in pieces, at most a fifth of a second late. */
export function openLogSink(): BufferedLogSink {
  const output = destination({
    ...{ fd: 1, sync: false, minLength: BUFFER_BYTES, maxWrite: WRITE_BYTES_MAX, periodicFlush: FLUSH_MS },
  })
  return {
    write: (line) => {
      output.write(line)
    },
    flush: () => output.flushSync(),
  }
}
