import { expect, test } from 'vitest'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { IdempotentRow } from './idempotent-request-store.ts'
import { createKeptItems } from './kept-items.ts'
import { KeptSpace } from './kept-space.ts'

const away = new ServiceError('server_is_overloaded', 'The database is away.')

/** A database that takes nothing until the test says so. */
function itemsOnDatabase() {
  const rows: IdempotentRow[] = []
  let isAway = true
  const store = {
    insert: async (row: IdempotentRow) => {
      if (isAway) throw away
      return rows.push(row) > 0
    },
    findAll: async (callerId: string, names: readonly string[]) =>
      rows.filter((row) => row.caller_id === callerId && names.includes(row.name_hash)),
  }
  const clock = { latest: () => 1, earliest: () => 1 }
  const secrets = [{ version: 1, secret: 'a secret of this test' }] as const
  return {
    rows,
    items: createKeptItems({
      store,
      clock,
      processId: 'process',
      secrets,
      space: new KeptSpace({ now: () => 1 }, 100),
    }),
    comeBack: () => {
      isAway = false
    },
  }
}

test('items that the database does not take are found here, by their key alone, and written once it is back', async () => {
  const { rows, items, comeBack } = itemsOnDatabase()
  const kept = items.keep({ accountId: 'account', keyId: 'key', requestId: 'request', seed: 'seed', output: '[1]' })
  expect(await items.find('key', ['seed', 'other'])).toEqual(new Map([['seed', '[1]']]))
  expect(await items.find('another key', ['seed'])).toEqual(new Map())
  expect(rows).toEqual([])
  comeBack()
  await kept
  expect(rows.map(({ caller_id: callerId, state }) => [callerId, state])).toEqual([['key', 'answered']])
  expect(await items.find('key', ['seed'])).toEqual(new Map([['seed', '[1]']]))
})

test('items beyond the room of their account are not kept', async () => {
  const { rows, items, comeBack } = itemsOnDatabase()
  comeBack()
  const keep = (accountId: string, seed: string) =>
    items.keep({ accountId, keyId: 'key', requestId: seed, seed, output: 'x'.repeat(60) })
  await keep('account', 'first')
  await keep('account', 'second')
  await keep('another', 'third')
  expect(rows.map(({ request_id: requestId }) => requestId)).toEqual(['first', 'third'])
})
