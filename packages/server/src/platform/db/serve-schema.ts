/**
 * Which code serves which schema. During a rolling upgrade gateways of two versions share a database: the new version's
 * migrations say which older code they leave able to work. Source: decision 0162 (a migration says whom it leaves).
 */
/**
 * One file of `migrations/<engine>/`, which never changes once it was released; or one of its folder `functions/`,
 * which replaces what it defines and is applied again, after all others, whenever its content differs.
 */
export interface Migration {
  readonly name: string
  readonly sql: string
  /** SHA-256 of the file as hex digits. */
  readonly checksum: string
  /** Which older code can serve the schema that it makes, as its file says; null: none. */
  readonly oldest: number | null
  readonly isRepeatable: boolean
}

/** What a database says of one migration that was applied to it. */
export interface AppliedMigration {
  readonly checksum: string
  /** Number of the newest migration that code has to know to serve the schema; null: it has to know this one. */
  readonly oldest: number | null
}

/** By name. */
export type Applied = ReadonlyMap<string, AppliedMigration>

/** A migration that was applied before differs from its file: the schema is not what the code believes it to be. */
export class ChangedMigrationError extends Error {
  constructor(name: string) {
    super(
      `Migration ${name} was applied to this database with another content than the file has now. ` +
        'A migration never changes once it has landed: restore the file and write a new one.',
    )
    this.name = 'ChangedMigrationError'
  }
}

/** The database was migrated by another version of SVC, to a schema that this code cannot serve. */
export class UnknownSchemaError extends Error {
  constructor(names: readonly string[]) {
    super(
      `This database has a schema that this version of SVC cannot serve (${names.join(', ')}). Nothing was changed. ` +
        'Start the version that made it, or start this one with a new, empty database or data folder.',
    )
    this.name = 'UnknownSchemaError'
  }
}

/** Gateways that run could not serve the schema that a migration makes. */
export class OlderGatewaysError extends Error {
  /** @param count of processes, at least 1. */
  constructor({ name, count, until }: { readonly name: string; readonly count: number; readonly until: number }) {
    const who = count === 1 ? 'a gateway of an older version runs' : `${count} gateways of older versions run`
    super(
      `Migration ${name} was not applied: ${who} on this database and could not work after it. Stop every older ` +
        `gateway first; one that was killed counts until ${new Date(until).toISOString()}.`,
    )
    this.name = 'OlderGatewaysError'
  }
}

const OLDEST = /^-- Oldest code that can serve this schema: (\d{4})$/m
const NUMBER = /^(\d{4})-/

/** The number of a migration; null for functions, which have none. */
export function numberOf(name: string): number | null {
  const digits = NUMBER.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** Reads which code a migration leaves able to serve; null where its file says nothing. */
export function oldestIn(sql: string): number | null {
  const digits = OLDEST.exec(sql)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** The newest schema that code with these migrations knows. */
export function newestOf(migrations: readonly Pick<Migration, 'name'>[]): number {
  return Math.max(0, ...migrations.map(({ name }) => numberOf(name) ?? 0))
}

/**
 * What is still to be applied. Nothing is where a newer version has migrated the database and says that this code can
 * serve it: its functions stay, too.
 *
 * @throws {UnknownSchemaError} @throws {ChangedMigrationError}
 */
export function findPending(applied: Applied, migrations: readonly Migration[]): readonly Migration[] {
  const known = new Set(migrations.map((migration) => migration.name))
  const unknown = [...applied.keys()].filter((name) => !known.has(name))
  const pending = migrations.filter((migration) => !isApplied(applied, migration))
  if (unknown.length === 0) return pending
  const newest = newestOf(migrations)
  const newer = unknown.filter((name) => (numberOf(name) ?? 0) > newest)
  const closed = newer.filter((name) => (applied.get(name)?.oldest ?? Infinity) > newest)
  const isBehind = pending.every((migration) => migration.isRepeatable)
  const others = unknown.filter((name) => numberOf(name) !== null && !newer.includes(name))
  if (newer.length > 0 && closed.length === 0 && others.length === 0 && isBehind) return []
  throw new UnknownSchemaError(closed.length > 0 ? closed : unknown)
}

function isApplied(applied: Applied, migration: Migration): boolean {
  const checksum = applied.get(migration.name)?.checksum
  if (checksum === undefined || checksum === migration.checksum) return checksum !== undefined
  if (!migration.isRepeatable) throw new ChangedMigrationError(migration.name)
  return false
}
