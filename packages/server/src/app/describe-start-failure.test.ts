import { expect, test } from 'vitest'
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

test.each([new Error('a fault'), Object.assign(new Error('x'), { code: '42601' }), 'a text'])(
  'an unexpected error keeps its stack: %o',
  (error) => {
    expect(describeStartFailure(error, place)).toBeNull()
  },
)
