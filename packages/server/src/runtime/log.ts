import { destination, pino, type Logger as PinoLogger } from 'pino'
import { censorFields } from './censor-fields.ts'
import type { LogLevel } from './log-level.ts'
import { scrubSecrets } from './scrub-secrets.ts'

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

/**
 * Makes the log: one JSON object a line. Fields that hold secrets or people's words are censored by name; then every
 * finished line passes the scrubber on its only way out, so no child logger, serialiser or error can go around it.
 */
export function createLogger({ level, sink = destination({ fd: 1, sync: true }) }: LogOptions): Logger {
  const scrubbed: LogSink = { write: (line) => sink.write(scrubSecrets(line)) }
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: censorFields },
      // Errors are plain objects by then.
      serializers: { err: (value: unknown) => value },
    },
    scrubbed,
  )
}
