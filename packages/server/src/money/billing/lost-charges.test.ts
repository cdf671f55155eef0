import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nanocreditsOf } from '@svc/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../../../testing/test-database.ts'
import type { SettleHold } from '../ledger/operations.ts'
import { createSettledStore } from '../ledger/settled-store.ts'
import { LostCharges } from './lost-charges.ts'
import { RecentSettlements } from './recent-settlements.ts'
import { NO_FACTS } from './settlement.ts'

const settlement = (holdId: string, charge = 7n): SettleHold =>
  ({
    ...{ kind: 'settle', holdId, end: 'captured', now: 1_000 },
    ...{ charge: nanocreditsOf(charge), cost: nanocreditsOf(5n), lost: nanocreditsOf(0n) },
    facts: { ...NO_FACTS, latencyMs: 1 },
  }) as unknown as SettleHold

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-recent-'))
})
afterEach(() => rm(folder, { recursive: true }))

const clock = { now: () => 10_000_000 }
const recentOf = (processId: string): RecentSettlements => new RecentSettlements({ folder, processId, clock })

/** A database that lacks some settlements, and can be another one at the next look. */
function watchOn(recent: RecentSettlements) {
  const state = { identity: 'first', lost: new Set<string>(), asked: 0 }
  const submitted: SettleHold[] = []
  const missing: string[][] = []
  const watch = new LostCharges({
    recent,
    store: {
      readIdentity: async () => state.identity,
      listMissing: async (ids) => {
        state.asked += 1
        return ids.filter((id) => state.lost.has(id))
      },
    },
    ledger: { submit: async (operation) => void submitted.push(operation as SettleHold) as never },
    onMissing: (settlements) => void missing.push(settlements.map(({ holdId }) => holdId)),
    onRefused: () => undefined,
  })
  return { state, submitted, missing, watch }
}

test('what another server lacks is settled again, and the same server is not asked twice', async () => {
  const recent = recentOf('one')
  const { state, submitted, missing, watch } = watchOn(recent)
  await watch.look()
  const [first, second] = [settlement('a'), settlement('b')]
  recent.note(first)
  recent.note(second)
  recent.note(settlement('free', 0n))
  await watch.look()
  expect(state.asked).toBe(1)
  state.identity = 'second'
  state.lost.add('b').add('free')
  await watch.look()
  expect([missing, submitted, state.asked]).toEqual([[['b']], [second], 2])
})

test('what a process before this one has settled is compared at the start', async () => {
  const before = recentOf('before')
  before.note(settlement('a'))
  await before.flush()
  const { state, missing, watch } = watchOn(recentOf('after'))
  state.lost.add('a')
  await watch.look()
  expect(missing).toEqual([['a']])
})

test('a file of a process before this one is removed once it is old', async () => {
  const before = recentOf('before')
  before.note(settlement('a'))
  await before.flush()
  const [name = ''] = await readdir(folder)
  await utimes(join(folder, name), 1, 1)
  await watchOn(recentOf('after')).watch.look()
  expect(await readdir(folder)).toEqual([])
})

test('PostgreSQL is asked by the ids of requests what it still has, and names itself', async () => {
  const opened = await openTestDatabase('postgres')
  const store = createSettledStore(opened.database)
  const ids = Array.from({ length: 1_200 }, (_, index) => `request-${index}`)
  expect(await store.listMissing(ids)).toEqual(ids)
  expect(await store.readIdentity()).not.toBe('')
  expect(await store.readIdentity()).toBe(await store.readIdentity())
  await opened.close()
})
