import { describe, expect, test } from 'vitest'
import { listMigrations } from './migrate.ts'
import {
  type Applied,
  ChangedMigrationError,
  findPending,
  type Migration,
  newestOf,
  numberOf,
  oldestIn,
  UnknownSchemaError,
} from './serve-schema.ts'

function file(name: string, checksum = name): Migration {
  return { name, checksum, sql: '', oldest: null, isRepeatable: name.startsWith('functions/') }
}

const FILES = [file('0001-a.sql'), file('0002-b.sql'), file('functions/f.sql')]

/** What a database says: names with the oldest code that each leaves able to serve. */
function applied(...rows: readonly (readonly [name: string, oldest: number | null, checksum?: string])[]): Applied {
  return new Map(rows.map(([name, oldest, checksum = name]) => [name, { checksum, oldest }]))
}

const ALL = [
  ['0001-a.sql', null],
  ['0002-b.sql', null],
] as const

describe('which code serves which schema', () => {
  const cases: readonly {
    readonly promise: string
    readonly applied: Applied
    readonly pending: readonly string[] | (new (...args: never[]) => Error)
  }[] = [
    { promise: 'of nothing lacks all', applied: applied(), pending: ['0001-a.sql', '0002-b.sql', 'functions/f.sql'] },
    {
      promise: 'of this code lacks a function that has changed',
      applied: applied(...ALL, ['functions/f.sql', null, 'before']),
      pending: ['functions/f.sql'],
    },
    {
      promise: 'that a newer version has widened is served as it is, with its functions',
      applied: applied(...ALL, ['0003-c.sql', 2], ['functions/f.sql', null, 'newer'], ['functions/g.sql', null]),
      pending: [],
    },
    {
      promise: 'that several newer versions have widened is served',
      applied: applied(...ALL, ['0003-c.sql', 1], ['0004-d.sql', 2], ['functions/f.sql', null]),
      pending: [],
    },
    {
      promise: 'that a newer version has narrowed for code of this age is refused',
      applied: applied(...ALL, ['0003-c.sql', 2], ['0004-d.sql', 3], ['functions/f.sql', null]),
      pending: UnknownSchemaError,
    },
    {
      promise: 'of a newer version that says nothing is refused',
      applied: applied(...ALL, ['0003-c.sql', null], ['functions/f.sql', null]),
      pending: UnknownSchemaError,
    },
    {
      promise: 'of another line of versions is refused, whatever it says',
      applied: applied(...ALL, ['0002-other.sql', 1], ['0003-c.sql', 2], ['functions/f.sql', null]),
      pending: UnknownSchemaError,
    },
    {
      promise: 'of a newer version that lacks a file of this code is refused',
      applied: applied(['0001-a.sql', null], ['0003-c.sql', 1]),
      pending: UnknownSchemaError,
    },
    {
      promise: 'with a function that no numbered file came with is refused',
      applied: applied(...ALL, ['functions/f.sql', null], ['functions/g.sql', null]),
      pending: UnknownSchemaError,
    },
    {
      promise: 'of which a file was edited is refused, by a newer version too',
      applied: applied(['0001-a.sql', null, 'edited'], ['0002-b.sql', null], ['0003-c.sql', 2]),
      pending: ChangedMigrationError,
    },
  ]
  for (const { promise, applied: database, pending } of cases) {
    test(`a schema ${promise}`, () => {
      const find = () => findPending(database, FILES).map(({ name }) => name)
      if (typeof pending === 'function') expect(find).toThrow(pending)
      else expect(find()).toEqual(pending)
    })
  }

  test('a migration says in its file which code it leaves, and never code that is newer than itself', () => {
    expect(oldestIn('-- Why.\n-- Oldest code that can serve this schema: 0016\nalter table')).toBe(16)
    expect(oldestIn('-- Why.')).toBeNull()
    for (const engine of ['sqlite', 'postgres'] as const) {
      const migrations = listMigrations(engine)
      expect(newestOf(migrations)).toBeGreaterThan(0)
      for (const { name, oldest } of migrations) {
        if (oldest !== null) expect(oldest).toBeLessThan(numberOf(name) ?? 0)
      }
    }
  })
})
