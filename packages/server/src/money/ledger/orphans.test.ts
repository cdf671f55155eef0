import { afterEach, beforeEach, expect, test } from 'vitest'
import { MARGIN_BPS, nanocreditsOf } from '@svc/contract'
import { capture, placeHold, TEST_NOW } from '../../../testing/ledger-operations.ts'
import type { SeededCaller } from '../../../testing/seed-caller.ts'
import { assertSound, openTestLedger, type TestLedger } from '../../../testing/test-ledger.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import type { AttoUsd, LateCost } from '../../pricing/price.ts'
import { formatUsd, usdOfNanocredits } from '../../pricing/usd.ts'
import { createLedgerEngine } from './create-ledger-engine.ts'
import { Ledger } from './ledger.ts'
import type { HoldProgress } from './operations.ts'
import { LeaseObserver } from './lease-observer.ts'
import { adoptHolds, startLease, stopLease, sweepOrphans, type OrphanDeps, type SweepResult } from './orphans.ts'

const LEASE_MS = 20_000

/** What 3 and 7 tokens cost by a card of 12 nanocredits for each of the prompt. */
const ESTIMATE = JSON.stringify({
  ...{ basis: 'card', estimated: true, prompt_tokens: 3, completion_tokens: 7 },
  card: { credits_per_1m_input: '0.012', credits_per_1m_output: '0' },
  ...{ cost_usd: '0.00000000003', margin_bps: MARGIN_BPS },
})

describeEachEngine('orphaned holds', (engine) => {
  let money: TestLedger
  let caller: SeededCaller
  let now = TEST_NOW
  const clock = { now: () => now }
  let leases: LeaseObserver
  const sweep = (deps: OrphanDeps): Promise<SweepResult> => sweepOrphans(deps, leases)
  beforeEach(async () => {
    now = TEST_NOW
    leases = new LeaseObserver({ clock: { elapsed: () => now }, leaseMs: LEASE_MS })
    money = await openTestLedger(engine)
    caller = await money.createCaller(1_000n)
  })
  afterEach(async () => {
    await assertSound(money, now)
    await money.close()
  })

  const depsFor = (parts: Partial<OrphanDeps> = {}): OrphanDeps => ({
    database: money.test.database,
    ledger: money.ledger,
    clock,
    processId: 'own',
    isOpenHere: () => false,
    onBroken: (_, error) => {
      throw error
    },
    findCost: async () => null,
    chargeForCost: (_, { cost }) => ({
      charge: nanocreditsOf((cost * 6n) / 5n),
      cost: nanocreditsOf(cost),
      basis: 'cost',
      pricing: JSON.stringify({
        ...{ basis: 'cost', cost_usd: formatUsd(usdOfNanocredits(cost)), margin_bps: MARGIN_BPS },
      }),
    }),
    ...parts,
  })
  const progressOf = (
    holdId: string,
    generationId: string | null,
    verdict?: HoldProgress['verdict'],
  ): HoldProgress => ({
    ...(verdict === undefined ? {} : { verdict }),
    holdId,
    charge: nanocreditsOf(36n),
    cost: nanocreditsOf(30n),
    promptTokens: 3,
    completionTokens: 7,
    pricing: ESTIMATE,
    upstream: 'test',
    upstreamModel: 'test/model',
    generationId,
  })
  /** A process that starts, places a hold, journals it perhaps, and is never heard of again. */
  const leaveBehind = async (
    processId: string,
    generationId?: string | null,
    verdict?: HoldProgress['verdict'],
  ): Promise<string> => {
    await startLease(money.test.database, { processId, nodeName: 'node-1' }, now, LEASE_MS)
    const hold = placeHold(caller, { fixed: 100n, processId, now })
    await money.ledger.submit(hold)
    if (generationId !== undefined) {
      const entries = [progressOf(hold.holdId, generationId, verdict)]
      await money.ledger.submit({ kind: 'journal', processId, leaseUntil: now + LEASE_MS, entries, now })
    }
    await sweep(depsFor())
    return hold.holdId
  }
  const findRecord = (usageId: string) =>
    money.test.database.read
      .selectFrom('usage_record')
      .selectAll()
      .where('usage_id', '=', usageId)
      .executeTakeFirstOrThrow()

  test('are charged what the upstream says they cost, else by the journal, else nothing', async () => {
    const known = await leaveBehind('p1', 'gen-1')
    const journaled = await leaveBehind('p2', null)
    const unknown = await leaveBehind('p3')
    now += LEASE_MS + 1
    const findCost = async (upstream: string, id: string) =>
      upstream === 'test' && id === 'gen-1' ? { cost: 50n as AttoUsd, usage: null } : null
    expect(await sweep(depsFor({ findCost }))).toEqual({ looked: 1, estimated: 1, expired: 1, postponed: 0 })
    expect(await findRecord(known)).toMatchObject({
      charge: 60n,
      cost: 50n,
      basis: 'cost',
      status: 'incomplete',
      estimated: 0,
    })
    expect(await findRecord(journaled)).toMatchObject({
      charge: 36n,
      basis: 'estimate',
      estimated: 1,
      completion_tokens: 7,
    })
    expect(await findRecord(unknown)).toMatchObject({ charge: 0n, status: 'error', basis: null })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 904n, held: 0n })
  })

  test('whose price was final are charged it, and what had failed is free, whatever the upstream says of its cost', async () => {
    const priced = await leaveBehind('p1', 'gen-1', 'priced')
    const failed = await leaveBehind('p2', 'gen-2', 'failed')
    now += LEASE_MS + 1
    const findCost = async () => ({ cost: 50n as AttoUsd, usage: null })
    expect(await sweep(depsFor({ findCost }))).toEqual({ looked: 1, estimated: 1, expired: 0, postponed: 0 })
    expect(await findRecord(priced)).toMatchObject({ charge: 36n, cost: 30n, generation_id: 'gen-1' })
    // 50 of 10⁻¹⁸ USD are booked as a whole nanocredit.
    expect(await findRecord(failed)).toMatchObject({ charge: 0n, cost: 1n, write_off: 1n, status: 'error' })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 964n, held: 0n })
  })

  test('do not wait for an upstream that has nothing to say of them', async () => {
    const asked = await leaveBehind('p1', 'gen-1')
    const noted = await leaveBehind('p2', null)
    now += LEASE_MS + 1
    const findCost = () => Promise.reject(new Error('away'))
    expect(await sweep(depsFor({ findCost }))).toEqual({ looked: 0, estimated: 1, expired: 0, postponed: 1 })
    expect(await findRecord(noted)).toMatchObject({ charge: 36n, basis: 'estimate' })
    now += 3_600_000
    expect(await sweep(depsFor({ findCost }))).toMatchObject({ estimated: 1, postponed: 0 })
    expect(await findRecord(asked)).toMatchObject({ charge: 36n, basis: 'estimate' })
  })

  test('are settled however many before them wait for their upstream', async () => {
    await startLease(money.test.database, { processId: 'p1', nodeName: 'node-1' }, now, LEASE_MS)
    const holds = Array.from({ length: 201 }, () => placeHold(caller, { fixed: 1n, processId: 'p1', now }))
    await Promise.all(holds.map((hold) => money.ledger.submit(hold)))
    const ids = holds.map(({ holdId }) => holdId).toSorted()
    const entries = ids.map((id, place) => progressOf(id, place < 200 ? 'gen-1' : null))
    await money.ledger.submit({ kind: 'journal', processId: 'p1', leaseUntil: now + LEASE_MS, entries, now })
    await sweep(depsFor())
    now += LEASE_MS + 1
    let asked = 0
    const findCost = () => {
      asked++
      return Promise.reject(new Error('away'))
    }
    expect(await sweep(depsFor({ findCost }))).toEqual({ looked: 0, estimated: 1, expired: 0, postponed: 200 })
    expect(asked).toBe(1)
    expect(await findRecord(ids.at(-1) ?? '')).toMatchObject({ charge: 36n })
  })

  test('are charged as an estimate by prices that are none: what was noted may not be all', async () => {
    await startLease(money.test.database, { processId: 'p1', nodeName: 'node-1' }, now, LEASE_MS)
    const hold = placeHold(caller, { fixed: 100n, processId: 'p1', now })
    await money.ledger.submit(hold)
    const { estimated: _, ...exact } = JSON.parse(ESTIMATE) as Record<string, unknown>
    const entries = [{ ...progressOf(hold.holdId, null), pricing: JSON.stringify(exact) }]
    await money.ledger.submit({ kind: 'journal', processId: 'p1', leaseUntil: now + LEASE_MS, entries, now })
    await sweep(depsFor())
    now += LEASE_MS + 1
    expect(await sweep(depsFor())).toMatchObject({ estimated: 1 })
    expect(await findRecord(hold.holdId)).toMatchObject({ charge: 36n, basis: 'estimate', estimated: 1 })
  })

  // B012: the sweep cannot end what is alive.
  test('are not those of a process whose lease still runs', async () => {
    const hold = await leaveBehind('p1')
    now += LEASE_MS - 1
    expect(await sweep(depsFor())).toEqual({ looked: 0, estimated: 0, expired: 0, postponed: 0 })
    await money.ledger.submit({ kind: 'journal', processId: 'p1', leaseUntil: now + LEASE_MS, entries: [], now })
    now += LEASE_MS - 1
    expect(await sweep(depsFor())).toMatchObject({ expired: 0 })
    expect(await money.ledger.submit(capture(hold, 50n, { now }))).toMatchObject({ kind: 'settled', charge: 50n })
  })

  test('of a process that only slept are charged once, when it wakes', async () => {
    const hold = await leaveBehind('p1')
    now += LEASE_MS + 1
    await sweep(depsFor())
    expect(await money.ledger.submit(capture(hold, 50n, { now }))).toMatchObject({ kind: 'settled', charge: 50n })
    expect(await money.ledger.submit(capture(hold, 50n, { now }))).toMatchObject({ kind: 'already_settled' })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 950n, held: 0n })
  })

  test('are adopted at once by the next process of the same node, and by no other', async () => {
    await leaveBehind('p1', null)
    expect(await adoptHolds(depsFor(), { processId: 'p9', nodeName: 'node-2' })).toMatchObject({ estimated: 0 })
    expect(await adoptHolds(depsFor(), { processId: 'p1', nodeName: 'node-1' })).toMatchObject({ estimated: 0 })
    expect(await adoptHolds(depsFor(), { processId: 'p9', nodeName: 'node-1' })).toMatchObject({ estimated: 1 })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 964n, held: 0n })
  })

  test('of a process that stopped in order are not waited for', async () => {
    await leaveBehind('p1', null)
    await stopLease(money.test.database, 'p1')
    now += 1
    expect(await sweep(depsFor())).toMatchObject({ estimated: 1 })
  })

  test('wait for an upstream that cannot be reached, but not for ever', async () => {
    await leaveBehind('p1', 'gen-1')
    const findCost = (): Promise<never> => Promise.reject(new Error('unreachable'))
    now += LEASE_MS + 1
    expect(await sweep(depsFor({ findCost }))).toMatchObject({ postponed: 1 })
    now += 3_600_000
    expect(await sweep(depsFor({ findCost }))).toMatchObject({ estimated: 1, postponed: 0 })
  })

  test('ask an upstream that does not answer once a sweep', async () => {
    for (const process of ['p1', 'p2', 'p3']) await leaveBehind(process, `gen-${process}`)
    now += LEASE_MS + 1
    let asked = 0
    const findCost = (): Promise<never> => {
      asked++
      return Promise.reject(new Error('unreachable'))
    }
    expect(await sweep(depsFor({ findCost }))).toMatchObject({ postponed: 3 })
    expect(asked).toBe(1)
    now += 3_600_000
    await sweep(depsFor({ findCost }))
  })

  test('that are broken keep no others from their end', async () => {
    const broken = await leaveBehind('p1', 'gen-1')
    await leaveBehind('p2', null)
    now += LEASE_MS + 1
    const told: string[] = []
    const chargeForCost = (): never => {
      throw new TypeError('no price')
    }
    const findCost = async (): Promise<LateCost> => ({ cost: 50n as AttoUsd, usage: null })
    const onBroken = (holdId: string): void => void told.push(holdId)
    const result = await sweep(depsFor({ findCost, chargeForCost, onBroken }))
    expect([result.estimated, result.postponed, told]).toEqual([1, 1, [broken]])
    await sweep(depsFor())
  })

  test('are not what this process has open, however long it slept', async () => {
    const hold = await leaveBehind('own', null)
    now += 600_000
    expect(await sweep(depsFor({ isOpenHere: () => true }))).toMatchObject({ estimated: 0, expired: 0 })
    expect(await money.ledger.submit(capture(hold, 50n, { now }))).toMatchObject({ kind: 'settled', charge: 50n })
  })

  test('are also what this process placed without learning so', async () => {
    await leaveBehind('own')
    now += 119_999
    expect(await sweep(depsFor())).toMatchObject({ expired: 0 })
    now += 2
    expect(await sweep(depsFor())).toMatchObject({ expired: 1 })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 1_000n, held: 0n })
  })

  test('swept by three processes at once are settled once', async () => {
    for (let count = 0; count < 5; count++) await leaveBehind(`p${count}`, null)
    now += LEASE_MS + 1
    const ledgers = await Promise.all(
      [1, 2].map(async () => new Ledger({ engine: createLedgerEngine(await money.test.openAgain()) })),
    )
    await Promise.all([money.ledger, ...ledgers].map((ledger) => sweep(depsFor({ ledger }))))
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 1_000n - 5n * 36n, held: 0n })
  })

  test('leave no lease behind once a day has passed', async () => {
    await leaveBehind('p1')
    now += 86_400_000 + LEASE_MS + 1
    await sweep(depsFor())
    expect(await money.test.database.read.selectFrom('process_lease').selectAll().execute()).toEqual([])
  })

  test.each([3_600_000, -3_600_000])('are judged by the own clock of the observer, %d ms off', async (off) => {
    const alive = await leaveBehind('alive', null)
    const gone = await leaveBehind('gone', null)
    const away = { now: () => now + off }
    for (let step = 0; step < 4; step++) {
      now += LEASE_MS / 4
      // Only one of the two renews its lease, by a clock that this process does not share.
      await money.ledger.submit({
        ...{ kind: 'journal', processId: 'alive', entries: [] },
        ...{ leaseUntil: now + LEASE_MS, now },
      })
      await sweep(depsFor({ clock: away }))
    }
    expect(await findRecord(gone)).toMatchObject({ status: 'incomplete' })
    const open = await money.test.database.read
      .selectFrom('hold')
      .select('hold_id')
      .where('state', '=', 'held')
      .execute()
    expect(open.map(({ hold_id: id }) => id)).toEqual([alive])
    await money.ledger.submit(capture(alive, 5n, { now }))
  })
})
