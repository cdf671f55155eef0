import { destination, pino, stdSerializers, type Logger as PinoLogger } from 'pino'
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

const CENSORED = '[redacted]'

/** Fields that hold secrets by their nature, at the top, one and two levels down. */
const secretFields = [
  'authorization',
  'cookie',
  '["set-cookie"]',
  '["x-api-key"]',
  '["proxy-authorization"]',
  'apiKey',
  'rawKey',
  'raw',
  'pepper',
  'peppers',
  'secret',
  'sessionSecret',
  'password',
  'privateKey',
  'body',
  'prompt',
  'messages',
]

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
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: stdSerializers.errWithCause, error: stdSerializers.errWithCause },
      redact: { paths: secretFields.flatMap(pathsTo), censor: CENSORED },
    },
    scrubbed,
  )
}

function pathsTo(field: string): readonly string[] {
  const end = field.startsWith('[') ? field : `.${field}`
  return [field, `*${end}`, `*.*${end}`, `*.*.*${end}`]
}
