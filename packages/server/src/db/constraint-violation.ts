const SQLITE_CONSTRAINT = 19
const SQLITE_UNIQUE = new Set([1555, 2067])
const POSTGRES_CONSTRAINT_CLASS = '23'
/** SQLite refuses the statement or its values: an error in it, a text too long, a wrong type, a wrong parameter. */
const SQLITE_REFUSALS = new Set([1, 18, 20, 25])
/** Data out of range, broken rules of the schema, exceptions that a function raises, limits of a program. */
const POSTGRES_REFUSALS = new Set(['21', '22', '23', '54', 'P0'])
const POSTGRES_UNIQUE = '23505'

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
 * Trying again cannot help. Source: PostgreSQL, appendix "Error Codes", classes; SQLite, "Result and Error Codes".
 */
export function isRefusal(error: unknown): boolean {
  if (isConstraintViolation(error) || SQLITE_REFUSALS.has(sqliteCodeOf(error) & 0xff)) return true
  return POSTGRES_REFUSALS.has(postgresCodeOf(error).slice(0, 2))
}

function sqliteCodeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}

function postgresCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
