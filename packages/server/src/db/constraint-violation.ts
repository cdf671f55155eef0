const SQLITE_CONSTRAINT = 19
const SQLITE_UNIQUE = new Set([1555, 2067])
const POSTGRES_CONSTRAINT_CLASS = '23'
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

function sqliteCodeOf(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0
}

function postgresCodeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
