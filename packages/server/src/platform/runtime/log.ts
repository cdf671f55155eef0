import { scrubSecrets } from '@svc/contract'
import { destination, pino, type Logger as PinoLogger } from 'pino'
import { censorFields } from './censor-fields.ts'
import type { LogLevel } from './log-level.ts'

export type Logger = PinoLogger

/** Takes finished lines, each with its line end. */
export interface LogSink {
  write(line: string): void
}

export interface LogOptions {
  readonly level: LogLevel
  /** Standard output when absent. */
  readonly sink?: LogSink
}

/** Where the records go whose makers write them as text. */
const sinks = new WeakMap<Logger, LogSink>()

let second = 0
let secondText = ''

/** A time as ISO 8601 text. The part that stays the same for a second is made once. */
function timeText(now: number): string {
  const milliseconds = now % 1_000
  if (now - milliseconds !== second) {
    second = now - milliseconds
    secondText = new Date(second).toISOString().slice(0, -4)
  }
  return `${secondText}${String(milliseconds).padStart(3, '0')}Z`
}

/**
 * Makes the log: one JSON object a line. Fields that hold secrets or people's words are censored by name; then every
 * finished line passes the scrubber on its only way out, so no child logger, serialiser or error can go around it.
 * `writeRecord` alone scrubs by the field.
 */
export function createLogger({ level, sink = destination({ fd: 1, sync: true }) }: LogOptions): Logger {
  const scrubbed: LogSink = { write: (line) => sink.write(scrubSecrets(line)) }
  const log: Logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${timeText(Date.now())}"`,
      formatters: { level: (label) => ({ level: label }), log: censorFields },
      // Errors are plain objects by then.
      serializers: { err: (value: unknown) => value },
    },
    scrubbed,
  )
  sinks.set(log, sink)
  return log
}

/** A record of numbers, and of texts that are ids or names of our own; texts of others are in `foreign`. */
export interface PlainRecord {
  readonly own: Readonly<Record<string, string | number | null>>
  /** Scrubbed one by one. Null where there is none. */
  readonly foreign: Readonly<Record<string, string | null>>
}

/**
 * Writes a record of level `info`, as `log.info` would, at a third of its cost: for what is written at every request.
 */
export function writeRecord(log: Logger, { own, foreign }: PlainRecord, message: string): void {
  if (!log.isLevelEnabled('info')) return
  const sink = sinks.get(log)
  if (sink === undefined) return log.info({ ...own, ...foreign }, message)
  let line = `{"level":"info","time":"${timeText(Date.now())}"`
  for (const name in own) {
    const value = own[name]
    line += typeof value === 'string' ? `,"${name}":"${value}"` : `,"${name}":${value}`
  }
  for (const name in foreign) {
    const value = foreign[name]
    line += value == null ? `,"${name}":null` : `,"${name}":${JSON.stringify(scrubSecrets(value))}`
  }
  sink.write(`${line},"msg":"${message}"}\n`)
}
