import { destination } from 'pino'
import type { LogSink } from './log.ts'

/**
 * Lines are kept back until so many characters are there, or until the time is up. A write per line is a measurable
 * part of a request.
 */
const KEPT_LENGTH = 32 * 1024
const WRITE_BYTES_MAX = 128 * 1024
const FLUSH_MS = 200
/** Bytes of lines that wait for a reader, at most; those after them are dropped. Source: own choice. */
export const UNREAD_BYTES_MAX = 16 * 1024 * 1024

export interface BufferedLogSink extends LogSink {
  /** Writes what is kept back. Call it when the process ends, however it ends. */
  flush(): void
}

/**
 * Opens standard output as a log that is written in pieces, at most a fifth of a second late.
 *
 * The lines are kept here and not by the destination, which measures all that it keeps at each line. Where no program
 * reads them they are dropped from a limit on, since they would take all memory; a line says how many once there is
 * a reader.
 */
export function openLogSink(): BufferedLogSink {
  const output = destination({ fd: 1, sync: false, maxWrite: WRITE_BYTES_MAX, maxLength: UNREAD_BYTES_MAX })
  let kept = ''
  let lost = 0
  output.on('drop', (lines: string) => {
    lost += lines.split('\n').length - 1
  })
  output.on('drain', () => {
    if (lost === 0) return
    const notice = { level: 'warn', time: new Date().toISOString(), lines: lost }
    lost = 0
    output.write(`${JSON.stringify({ ...notice, msg: 'log lines were lost: nobody read them' })}\n`)
  })
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
