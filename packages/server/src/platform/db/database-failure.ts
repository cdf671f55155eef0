/**
 * What failures of a database mean, on both engines: the only place that knows the codes.
 *
 * Either the database refused what it was asked (a rule of the schema, a mistake in a statement), and asking again
 * cannot help; or it could not do its work, which is a `DatabaseUnavailableError`.
 * Source: PostgreSQL, appendix "Error Codes"; SQLite, "Result and Error Codes".
 */
import { DatabaseUnavailableError, type DatabaseTrouble } from '../errors/database-unavailable-error.ts'

const SQLITE_CONSTRAINT = 19
const SQLITE_UNIQUE = new Set([1555, 2067])
/** SQLite refuses the statement or its values: an error in it, a text too long, a wrong type, a wrong parameter. */
const SQLITE_REFUSALS = new Set([1, 18, 20, 25])
/** By primary result code: busy, locked, out of memory, read-only, I/O error, damaged, full, cannot be opened … */
const SQLITE_TROUBLES: ReadonlyMap<number, DatabaseTrouble> = new Map([
  [5, 'slow'],
  [6, 'slow'],
  [7, 'storage'],
  [8, 'storage'],
  [10, 'storage'],
  [11, 'storage'],
  [13, 'storage'],
  [14, 'storage'],
  [15, 'slow'],
  [26, 'storage'],
])

const POSTGRES_CONSTRAINT_CLASS = '23'
/** Data out of range, broken rules of the schema, exceptions that a function raises, limits of a program. */
const POSTGRES_REFUSALS = new Set(['21', '22', '23', '54', 'P0'])
const POSTGRES_UNIQUE = '23505'
/** By SQLSTATE: what its class alone would not tell. */
const POSTGRES_TROUBLES: ReadonlyMap<string, DatabaseTrouble> = new Map([
  ['40001', 'conflict'],
  ['40P01', 'conflict'],
  ['57014', 'slow'],
  ['55P03', 'slow'],
  ['53100', 'storage'],
  ['25006', 'away'],
  ['25P03', 'away'],
])
/**
 * By the class of an SQLSTATE: connections, who may connect and to what, lack of resources, an operator's doing, the
 * system, the configuration, faults of the server itself.
 */
const POSTGRES_TROUBLE_CLASSES: ReadonlyMap<string, DatabaseTrouble> = new Map([
  ['08', 'away'],
  ['28', 'away'],
  ['3D', 'away'],
  ['53', 'away'],
  ['57', 'away'],
  ['58', 'storage'],
  ['F0', 'away'],
  ['XX', 'storage'],
])
/** Troubles that the server itself reports about a statement, on a connection that is as good as before. */
const POSTGRES_STATEMENT_TROUBLES = new Set(['40001', '40P01', '57014', '55P03'])

/** Tells whether the database refused a write because a unique value is taken. The same on both engines. */
export function isUniqueViolation(error: unknown): boolean {
  return SQLITE_UNIQUE.has(sqliteCodeOf(error)) || postgresCodeOf(error) === POSTGRES_UNIQUE
}

/** Tells whether the database refused a write by any rule of the schema. Trying again cannot help. */
export function isConstraintViolation(error: unknown): boolean {
  return (
    (sqliteCodeOf(error) & 0xff) === SQLITE_CONSTRAINT || postgresCodeOf(error).startsWith(POSTGRES_CONSTRAINT_CLASS)
  )
}

/**
 * Tells whether the database refused a write because of what was to be written, by a rule of the schema or otherwise.
 * Trying again cannot help.
 */
export function isRefusal(error: unknown): boolean {
  if (isConstraintViolation(error) || SQLITE_REFUSALS.has(sqliteCodeOf(error) & 0xff)) return true
  return POSTGRES_REFUSALS.has(postgresCodeOf(error).slice(0, 2))
}

/** @param error what `node:sqlite` threw. @returns a `DatabaseUnavailableError`, or what was thrown. */
export function sqliteFailureOf(error: unknown): unknown {
  const trouble = SQLITE_TROUBLES.get(sqliteCodeOf(error) & 0xff)
  return trouble === undefined || !(error instanceof Error) ? error : new DatabaseUnavailableError(trouble, error)
}

/** Calls SQLite. @throws {DatabaseUnavailableError} where it could not do its work. */
export function translatingSqlite<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw sqliteFailureOf(error)
  }
}

/**
 * @param error what a call of the PostgreSQL driver threw. Without an SQLSTATE it speaks of the connection: the network,
 *   a limit of ours, or one that the driver found broken.
 * @returns a `DatabaseUnavailableError`, or what was thrown.
 */
export function postgresFailureOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DatabaseUnavailableError) return error
  const trouble = postgresTroubleOf(error)
  return trouble === null ? error : new DatabaseUnavailableError(trouble, error)
}

function postgresTroubleOf(error: Error): DatabaseTrouble | null {
  const state = sqlStateOf(error)
  if (state !== null) return POSTGRES_TROUBLES.get(state) ?? POSTGRES_TROUBLE_CLASSES.get(state.slice(0, 2)) ?? null
  // The driver throws these where it was called in a wrong way.
  if (error instanceof TypeError || error instanceof RangeError) return null
  return /timeout/i.test(error.message) ? 'slow' : 'away'
}

/** Whether a connection cannot be used again after a failure that it reported. */
export function endsConnection(failure: DatabaseUnavailableError): boolean {
  return !POSTGRES_STATEMENT_TROUBLES.has(sqlStateOf(failure.cause) ?? '')
}

/** The five characters by which PostgreSQL, and poolers before it, name a failure; null where there are none. */
export function sqlStateOf(error: unknown): string | null {
  const code = postgresCodeOf(error)
  return /^[0-9A-Z]{5}$/.test(code) && /^[0-9]|^(?:F0|HV|P0|XX)/.test(code) ? code : null
}

function sqliteCodeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}

function postgresCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
