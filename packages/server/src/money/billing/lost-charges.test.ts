import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nanocreditsOf } from '@svc/contract'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { capture, placeHold, release } from '../../../testing/ledger-operations.ts'
import { findPostgres } from '../../../testing/test-database.ts'
import { openTestLedger } from '../../../testing/test-ledger.ts'
import type { BookedCharge } from '../ledger/booked-charge.ts'
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

const BOOKED: BookedCharge = { charge: 7n, writeOff: 0n, isSwept: false }

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-recent-'))
})
afterEach(() => rm(folder, { recursive: true }))

const clock = { now: () => 10_000_000 }
const recentOf = (processId: string): RecentSettlements => new RecentSettlements({ folder, processId, clock })

/** A database that lacks some settlements, and can be another one at the next look. */
function watchOn(recent: RecentSettlements) {
  const state = { identity: 'first', lost: new Set<string>(), booked: new Map<string, BookedCharge>(), asked: 0 }
  const differing: [string, bigint][] = []
  const late: string[] = []
  const submitted: SettleHold[] = []
  const missing: string[][] = []
  const watch = new LostCharges({
    recent,
    store: {
      readIdentity: async () => state.identity,
      findBooked: async (ids) => {
        state.asked += 1
        const found = ids.filter((id) => !state.lost.has(id))
        return new Map(found.map((id) => [id, state.booked.get(id) ?? BOOKED]))
      },
    },
    ledger: {
      submit: async (operation) => {
        const { holdId, charge } = operation as SettleHold
        submitted.push(operation as SettleHold)
        state.lost.delete(holdId)
        return { kind: 'settled', charge: charge - 1n } as never
      },
    },
    onMissing: (settlements) => void missing.push(settlements.map(({ holdId }) => holdId)),
    onLost: ({ holdId }) => void late.push(holdId),
    onDiffering: ({ holdId }, charge) => void differing.push([holdId, charge]),
    onRefused: () => undefined,
  })
  return { state, submitted, missing, late, differing, watch }
}

test('what another server lacks is settled again, and the same server is asked for a while alone', async () => {
  const recent = recentOf('one')
  const { state, submitted, missing, late, differing, watch } = watchOn(recent)
  for (let look = 0; look < 5; look++) await watch.look()
  expect(state.asked).toBe(3)
  state.asked = 0
  const [first, second] = [settlement('a'), settlement('b')]
  recent.note(first)
  recent.note(second)
  recent.note(settlement('free', 0n))
  await watch.look()
  expect(state.asked).toBe(0)
  state.identity = 'second'
  state.lost.add('b').add('free')
  await watch.look()
  expect([missing, submitted, late]).toEqual([[['b']], [second], ['b']])
  expect(differing).toEqual([['b', second.charge - 1n]])
  // What the other server confirmed meanwhile, and has taken with it.
  state.lost.add('a')
  for (let look = 0; look < 5; look++) await watch.look()
  expect([missing, submitted, state.asked]).toEqual([[['b'], ['a']], [second, first], 3])
})

test('what another process settled otherwise is reported once', async () => {
  const recent = recentOf('one')
  const { state, differing, submitted, watch } = watchOn(recent)
  for (const id of ['swept', 'swept well', 'unpaid']) recent.note(settlement(id))
  state.booked.set('swept', { charge: 5n, writeOff: 0n, isSwept: true })
  state.booked.set('swept well', { charge: 6n, writeOff: 1n, isSwept: true })
  state.booked.set('unpaid', { charge: 1n, writeOff: 0n, isSwept: false })
  for (let look = 0; look < 3; look++) await watch.look()
  expect([differing, submitted]).toEqual([[['swept', 5n]], []])
})

test('a charge that is as it was told is reported as none that differs, whatever its request cost', async () => {
  const { state, differing, watch } = watchOn(recentOf('one'))
  const recent = recentOf('before')
  const note = (id: string, more: object, booked: Pick<BookedCharge, 'charge' | 'writeOff'>) => {
    recent.note({ ...settlement(id), ...more })
    state.booked.set(id, { ...booked, isSwept: true })
  }
  note('dear', { cost: 9n }, { charge: 7n, writeOff: 2n })
  note('dear and unpaid', { cost: 9n }, { charge: 4n, writeOff: 5n })
  note('with a loss', { cost: 8n, lost: 3n }, { charge: 7n, writeOff: 3n })
  note('with a loss, unpaid', { cost: 8n, lost: 3n }, { charge: 4n, writeOff: 6n })
  note('with a loss that nobody knew of', { cost: 8n, lost: 3n }, { charge: 7n, writeOff: 0n })
  note('agreed', { most: 5n }, { charge: 5n, writeOff: 2n })
  note('more than agreed', { most: 5n }, { charge: 7n, writeOff: 0n })
  note('less', { cost: 8n, lost: 3n }, { charge: 4n, writeOff: 0n })
  await recent.flush()
  await watch.look()
  expect(differing).toEqual([
    ['more than agreed', 7n],
    ['less', 4n],
  ])
})

test('one that is charged late as its caller agreed to differs from nothing', async () => {
  const recent = recentOf('one')
  const { state, late, differing, watch } = watchOn(recent)
  recent.note({ ...settlement('agreed'), most: nanocreditsOf(6n) })
  state.lost.add('agreed')
  await watch.look()
  expect([late, differing]).toEqual([['agreed'], []])
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

test.skipIf(findPostgres() === null)(
  'PostgreSQL tells what it still has; what merely expired is not settled',
  async () => {
    const money = await openTestLedger('postgres')
    const caller = await money.createCaller(10_000n)
    for (const holdId of ['charged', 'expired']) await money.ledger.submit(placeHold(caller, { holdId, fixed: 600n }))
    await money.ledger.submit(capture('charged', 500n))
    await money.ledger.submit(release('expired', { end: 'expired' }))
    const store = createSettledStore(money.test.database)
    const ids = Array.from({ length: 1_200 }, (_, index) => `request-${index}`)
    expect(await store.findBooked([...ids, 'charged', 'expired'])).toEqual(
      new Map([['charged', { charge: 500n, writeOff: 0n, isSwept: false }]]),
    )
    expect(await store.readIdentity()).not.toBe('')
    expect(await store.readIdentity()).toBe(await store.readIdentity())
    await money.close()
  },
)
