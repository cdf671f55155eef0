import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadConfig } from '../config/load-config.ts'
import { describeStartFailure } from './describe-start-failure.ts'

const place = { host: 'localhost', databaseUrl: 'postgresql://me:canary@db.example:5432/books' }

// `run.test.ts` makes real failures; these need a server in a certain state.
test.each([
  [{ code: '28P01' }, 'it refuses the user or the password (28P01)'],
  [{ code: '3D000' }, 'it has no database of this name'],
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'db.example' }, 'its host name is not known'],
  [{ message: 'timeout exceeded when trying to connect' }, 'timeout exceeded'],
])('PostgreSQL that fails with %j is reported with its address and without its password', (facts, reason) => {
  const text = describeStartFailure(Object.assign(new Error('failed'), facts), place)
  expect(text).toContain(`postgresql://me@db.example:5432/books cannot be used: ${reason}`)
  expect(text).toContain('SVC_DATABASE_URL')
  expect(text).not.toContain('canary')
})

test('a host that is not known is that of the listener where it is the same name', () => {
  const error = Object.assign(new Error('x'), { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'nowhere' })
  expect(describeStartFailure(error, { ...place, host: 'nowhere' })).toContain('SVC_HOST')
})

test('a damaged or unreachable database file is reported as such', () => {
  const error = Object.assign(new Error('file is not a database'), { code: 'ERR_SQLITE_ERROR', errcode: 26 })
  expect(describeStartFailure(error, { ...place, databaseUrl: null })).toContain('file is not a database')
})

describe('a data folder that cannot be', () => {
  let root: string
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'svc-no-folder-'))
    writeFileSync(join(root, 'file'), '')
    symlinkSync('/nowhere/at/all', join(root, 'dangling'))
    symlinkSync('circle', join(root, 'circle'))
  })
  afterAll(() => rmSync(root, { recursive: true }))

  test.each([
    ['file/svc', 'file/svc', 'a part of its path is no folder (ENOTDIR)'],
    ['dangling', 'dangling', 'its path, or a symbolic link in it, leads nowhere (ENOENT)'],
    ['dangling/svc/data', 'dangling', 'its path, or a symbolic link in it, leads nowhere (ENOENT)'],
    ['circle/svc', 'circle/svc', 'its symbolic links lead in a circle (ELOOP)'],
    ['x'.repeat(300), 'x'.repeat(300), 'its name is too long (ENAMETOOLONG)'],
  ])('is named with the reason: %s', (folder, named, reason) => {
    const env = { SVC_DATA_DIR: join(root, folder) }
    const said = `${join(root, named)} cannot be used: ${reason}. Mend that, or choose another data folder`
    expect(
      describeStartFailure(
        failureOf(() => loadConfig({ env, workingDir: root })),
        null,
      ),
    ).toContain(said)
  })

  test('is no other file that is missing: that is a fault, and keeps its stack', () => {
    expect(
      describeStartFailure(
        failureOf(() => readFileSync(join(root, 'missing'))),
        null,
      ),
    ).toBeNull()
  })
})

function failureOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

test.each([new Error('a fault'), Object.assign(new Error('x'), { code: '42601' }), 'a text'])(
  'an unexpected error keeps its stack: %o',
  (error) => {
    expect(describeStartFailure(error, place)).toBeNull()
  },
)
