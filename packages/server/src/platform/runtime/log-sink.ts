import { destination } from 'pino'
import type { LogSink } from './log.ts'

/**
 * Lines are kept back until so many characters are there, or until the time is up. A write per line is a measurable
 * part of a request.
 */
const KEPT_LENGTH = 32 * 1024
const WRITE_BYTES_MAX = 128 * 1024
const FLUSH_MS = 200

export interface BufferedLogSink extends LogSink {
  /** Writes what is kept back. Call it when the process ends, however it ends. */
  flush(): void
}

/**
 * Opens standard output as a log that is written in pieces, at most a fifth of a second late.
 *
 * The lines are kept here and not by the destination, which measures all that it keeps at each line.
 */
export function openLogSink(): BufferedLogSink {
  const output = destination({ fd: 1, sync: false, maxWrite: WRITE_BYTES_MAX })
  let kept = ''
  const handOver = (): void => {
    if (kept === '') return
    const lines = kept
    kept = ''
    output.write(lines)
  }
  setInterval(handOver, FLUSH_MS).unref()
  return {
    write: (line) => {
      kept += line
      if (kept.length >= KEPT_LENGTH) handOver()
    },
    flush: () => {
      handOver()
      output.flushSync()
    },
  }
}
