/** The first contact with PostgreSQL: waits until it takes connections and writes, and looks after its schema. */
import { setTimeout as waitMs } from 'node:timers/promises'
import { DatabaseUnavailableError } from '../errors/database-unavailable-error.ts'
import { sqlStateOf } from './database-failure.ts'
import { PATIENT_LIMITS } from './postgres-limits.ts'
import { PostgresPool } from './postgres-pool.ts'

/** How long a start waits for a database that is away. */
export interface PostgresPatience {
  /** In milliseconds; 0 does not wait. */
  readonly waitMs: number
  /** Called with why the database cannot be used yet: at once, and again when the reason is another one. */
  readonly onWaiting: (failure: DatabaseUnavailableError) => void
}

/** Between two attempts: half a second at first, as a fail-over takes seconds. Source: own choice. */
const RETRY_MS = 500
const RETRY_MOST_MS = 3_000

/**
 * Waits for the database and brings its schema up to date, or looks at it.
 *
 * @param prepare what is done on the first connection.
 * @returns whether the server takes settings when a session begins; a transaction pooler does not.
 * @throws {DatabaseUnavailableError} when the time is over, and at once for what no waiting mends: a wrong password, a
 *   database or a right that is missing, a certificate that does not fit. @throws what `prepare` throws.
 */
export async function awaitPostgres(
  url: string,
  patience: PostgresPatience,
  prepare: (pool: PostgresPool) => Promise<void>,
): Promise<{ readonly takesSettings: boolean }> {
  const endMs = performance.now() + patience.waitMs
  let said: string | null = null
  for (let pauseMs = RETRY_MS; ; pauseMs = Math.min(pauseMs * 2, RETRY_MOST_MS)) {
    try {
      return await greet(url, prepare)
    } catch (error) {
      if (!(error instanceof DatabaseUnavailableError) || isPermanent(error.cause)) throw error
      if (performance.now() + pauseMs > endMs) throw error
      const reason = String(error.cause)
      if (said !== reason) patience.onWaiting(error)
      said = reason
      await waitMs(pauseMs)
    }
  }
}

/** Poolers refuse settings that they cannot keep for one session: by these SQLSTATEs, as they have none of their own. */
const SETTINGS_REFUSED = new Set(['08P01', '0A000'])

async function greet(
  url: string,
  prepare: (pool: PostgresPool) => Promise<void>,
): Promise<{ readonly takesSettings: boolean }> {
  try {
    await prepareWith({ url, takesSettings: true }, prepare)
    return { takesSettings: true }
  } catch (error) {
    const state = sqlStateOf(error instanceof DatabaseUnavailableError ? error.cause : error)
    if (state === null || !SETTINGS_REFUSED.has(state)) throw error
  }
  await prepareWith({ url, takesSettings: false }, prepare)
  return { takesSettings: false }
}

async function prepareWith(
  server: { readonly url: string; readonly takesSettings: boolean },
  prepare: (pool: PostgresPool) => Promise<void>,
): Promise<void> {
  const pool = new PostgresPool({ ...server, max: 1, limits: PATIENT_LIMITS })
  try {
    await prepare(pool)
  } finally {
    await pool.end()
  }
}

/** Who may not connect, where nothing is, and what may not be done. Source: PostgreSQL, appendix "Error Codes". */
const PERMANENT_STATES = new Set(['28000', '28P01', '3D000', '42501'])
/** Certificates, and a server that speaks no TLS. */
const TLS_TROUBLE = /certificate|self.signed|altname|SSL|TLS/i

function isPermanent(cause: unknown): boolean {
  const state = sqlStateOf(cause)
  if (state !== null) return PERMANENT_STATES.has(state)
  if (!(cause instanceof Error)) return false
  return TLS_TROUBLE.test(cause.message) || ('code' in cause && TLS_TROUBLE.test(String(cause.code)))
}
