import { afterAll, beforeAll, expect, test } from 'vitest'
import { nanocreditsOf } from '@svc/contract'
import { capture, DELIVERED, FAILED, grant, placeHold, release, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { assertSound, openTestLedger, type TestLedger } from '../../../testing/test-ledger.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import type { ExtendHold } from './operations.ts'

const DAY_MS = 86_400_000

describeEachEngine('money operations', (engine) => {
  let money: TestLedger
  beforeAll(async () => {
    money = await openTestLedger(engine)
  })
  afterAll(async () => {
    await assertSound(money, TEST_NOW)
    await money.close()
  })

  const write = (sql: string, parameters: readonly unknown[]) =>
    money.test.database.write([
      {
        sql: engine === 'sqlite' ? sql.replaceAll(/\$\d/g, '?') : sql,
        parameters,
        query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
        queryId: { queryId: 'test' },
      },
    ])
  const findRecord = (usageId: string) =>
    money.test.database.read
      .selectFrom('usage_record')
      .selectAll()
      .where('usage_id', '=', usageId)
      .executeTakeFirstOrThrow()
  /** Its latest period. */
  const findBudget = (budgetId: string) =>
    money.test.database.read
      .selectFrom('budget_window')
      .selectAll()
      .where('budget_id', '=', budgetId)
      .orderBy('window_start', 'desc')
      .executeTakeFirstOrThrow()
  const extend = (holdId: string, targetUnits: number, now = TEST_NOW): ExtendHold => ({
    kind: 'extend',
    holdId,
    fixed: nanocreditsOf(0n),
    perUnit: nanocreditsOf(10n),
    targetUnits,
    now,
  })

  test('a hold moves credits from available to held and back, and the charge leaves', async () => {
    const caller = await money.createCaller(1_000n)
    const hold = placeHold(caller, { fixed: 100n, perUnit: 10n, units: 20 })
    expect(await money.ledger.submit(hold)).toEqual({ kind: 'placed', amount: 300n, units: 20, limitUnits: null })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 1_000n, held: 300n })
    expect(await money.ledger.submit(capture(hold.holdId, 120n))).toEqual({
      kind: 'settled',
      charge: 120n,
      writeOff: 0n,
      isLate: false,
    })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 880n, held: 0n })
    expect(await findRecord(hold.holdId)).toMatchObject({
      charge: 120n,
      cost: 100n,
      team_id: caller.teamId,
      status: 'ok',
    })
  })

  test('the same hold placed again answers alike and holds nothing more', async () => {
    const caller = await money.createCaller(1_000n)
    const hold = placeHold(caller, { perUnit: 1n, units: 800, policy: 'stepwise', firstUnits: 100 })
    const first = await money.ledger.submit(hold)
    expect(first).toEqual({ kind: 'placed', amount: 100n, units: 100, limitUnits: null })
    expect(await money.ledger.submit(hold)).toEqual(first)
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 1_000n, held: 100n })
    await money.ledger.submit(release(hold.holdId))
    expect(await money.ledger.submit(hold)).toEqual(first)
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 1_000n, held: 0n })
  })

  test('a refusal names the tightest limit, what is needed and what would be paid', async () => {
    const caller = await money.createCaller(10_000n, { teamLimit: 700n, keyLimit: 500n })
    const hold = placeHold(caller, { fixed: 100n, perUnit: 10n, units: 100 })
    expect(await money.ledger.submit(hold)).toEqual({
      kind: 'insufficient',
      limit: 'key',
      required: 1_100n,
      available: 500n,
      affordableUnits: 40,
    })
    const even = await money.createCaller(500n, { teamLimit: 500n, keyLimit: 500n })
    expect(await money.ledger.submit(placeHold(even, { fixed: 501n }))).toMatchObject({ limit: 'account' })
    const stepwise = placeHold(even, { fixed: 495n, perUnit: 10n, units: 100, policy: 'stepwise' })
    expect(await money.ledger.submit(stepwise)).toMatchObject({ required: 505n, available: 500n, affordableUnits: 0 })
  })

  test('a revoked or expired key and a suspended account place nothing', async () => {
    const caller = await money.createCaller(1_000n, { expiresAt: TEST_NOW + 10 })
    const late = placeHold(caller, { fixed: 1n, now: TEST_NOW + 10 })
    expect(await money.ledger.submit(late)).toEqual({ kind: 'refused', reason: 'key_expired' })
    await write(`update account set status = 'suspended' where account_id = $1`, [caller.accountId])
    expect(await money.ledger.submit(placeHold(caller))).toEqual({ kind: 'refused', reason: 'account_suspended' })
    await write('update api_key set revoked_at = $1 where key_id = $2', [TEST_NOW, caller.keyId])
    expect(await money.ledger.submit(placeHold(caller))).toEqual({ kind: 'refused', reason: 'key_revoked' })
  })

  test('a key cannot spend from another account', async () => {
    const [one, other] = [await money.createCaller(1_000n), await money.createCaller(1_000n)]
    const mixed = placeHold(one, { accountId: other.accountId, fixed: 1n })
    expect(await money.ledger.submit(mixed)).toEqual({ kind: 'refused', reason: 'key_revoked' })
  })

  test('an extension takes what the limits allow, in whole units, and repeating it changes nothing', async () => {
    const caller = await money.createCaller(1_005n)
    const hold = placeHold(caller, { perUnit: 10n, units: 10 })
    await money.ledger.submit(hold)
    expect(await money.ledger.submit(extend(hold.holdId, 40))).toEqual({ kind: 'extended', amount: 400n, units: 40 })
    expect(await money.ledger.submit(extend(hold.holdId, 40))).toEqual({ kind: 'extended', amount: 400n, units: 40 })
    expect(await money.ledger.submit(extend(hold.holdId, 900))).toEqual({
      kind: 'extended',
      amount: 1_000n,
      units: 100,
    })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 1_005n, held: 1_000n })
    const { read } = money.test.database
    const extensions = read.selectFrom('hold_extension').where('hold_id', '=', hold.holdId).orderBy('amount')
    expect(await extensions.select(['amount', 'added_amount', 'extended_at']).execute()).toEqual([
      { amount: 400n, added_amount: 300n, extended_at: TEST_NOW },
      { amount: 1_000n, added_amount: 600n, extended_at: TEST_NOW },
    ])
    await money.ledger.submit(release(hold.holdId))
    expect(await money.ledger.submit(extend(hold.holdId, 1))).toEqual({ kind: 'refused', reason: 'hold_ended' })
  })

  test('a revoked key extends nothing', async () => {
    const caller = await money.createCaller(1_000n)
    const hold = placeHold(caller, { perUnit: 10n, units: 10 })
    await money.ledger.submit(hold)
    await write('update api_key set revoked_at = $1 where key_id = $2', [TEST_NOW, caller.keyId])
    expect(await money.ledger.submit(extend(hold.holdId, 40))).toEqual({ kind: 'refused', reason: 'key_revoked' })
    await money.ledger.submit(release(hold.holdId))
  })

  // B011: a charge above its own hold must not eat what is held for others.
  test('a charge above its hold is paid from what is available and never from other holds', async () => {
    const caller = await money.createCaller(10n)
    const [a, b] = [placeHold(caller, { fixed: 5n }), placeHold(caller, { fixed: 5n })]
    await money.ledger.submit(a)
    await money.ledger.submit(b)
    const overrun = capture(a.holdId, 8n, { cost: nanocreditsOf(6n) })
    expect(await money.ledger.submit(overrun)).toEqual({ kind: 'settled', charge: 5n, writeOff: 3n, isLate: false })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 5n, held: 5n })
    expect(await money.ledger.submit(capture(b.holdId, 5n))).toMatchObject({ charge: 5n, writeOff: 0n })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 0n, held: 0n })
    expect(await findRecord(a.holdId)).toMatchObject({ charge: 5n, write_off: 3n })
  })

  test('a budget bounds an overrun as the balance does', async () => {
    const caller = await money.createCaller(1_000n, { keyLimit: 60n })
    const hold = placeHold(caller, { fixed: 50n })
    await money.ledger.submit(hold)
    const overrun = capture(hold.holdId, 100n, { cost: nanocreditsOf(80n) })
    expect(await money.ledger.submit(overrun)).toEqual({ kind: 'settled', charge: 60n, writeOff: 40n, isLate: false })
    expect(await findBudget(caller.keyBudgetId)).toMatchObject({ spent: 60n, reserved: 0n })
  })

  test('a failed request is free, recorded, and its cost is written off', async () => {
    const caller = await money.createCaller(100n)
    const hold = placeHold(caller, { fixed: 50n })
    await money.ledger.submit(hold)
    const failed = release(hold.holdId, { cost: nanocreditsOf(7n), facts: FAILED })
    expect(await money.ledger.submit(failed)).toEqual({ kind: 'settled', charge: 0n, writeOff: 7n, isLate: false })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 100n, held: 0n })
    expect(await findRecord(hold.holdId)).toMatchObject({ status: 'error', charge: 0n, write_off: 7n })
  })

  test('a hold ends even where its upstream claims more than can be', async () => {
    const caller = await money.createCaller(100n)
    const hold = placeHold(caller, { fixed: 50n })
    await money.ledger.submit(hold)
    const facts = {
      ...DELIVERED,
      basis: 'cost',
      pricing: '{"basis":"cost","cost_usd":"999999","margin_bps":2000}',
    } as const
    const claimed = capture(hold.holdId, 10n ** 30n, { cost: nanocreditsOf(10n ** 30n), facts })
    expect(await money.ledger.submit(claimed)).toEqual({
      kind: 'settled',
      charge: 100n,
      writeOff: 10n ** 18n - 100n,
      isLate: false,
    })
  })

  // B037: a settlement that runs twice has one effect.
  test('two settlements of one hold at once charge once', async () => {
    const caller = await money.createCaller(100n)
    const hold = placeHold(caller, { fixed: 50n })
    await money.ledger.submit(hold)
    const answers = await Promise.all([1, 2].map(() => money.ledger.submit(capture(hold.holdId, 30n))))
    expect(answers).toEqual([
      { kind: 'settled', charge: 30n, writeOff: 0n, isLate: false },
      { kind: 'already_settled', charge: 30n },
    ])
    expect(await money.ledger.submit(release(hold.holdId))).toEqual({ kind: 'already_settled', charge: 30n })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 70n, held: 0n })
  })

  // B012: a sweep that was too early is corrected once.
  test('an expired hold is captured late, once, from what is available', async () => {
    const caller = await money.createCaller(100n)
    const hold = placeHold(caller, { fixed: 50n })
    await money.ledger.submit(hold)
    const expired = release(hold.holdId, { end: 'expired', now: TEST_NOW + 5 })
    expect(await money.ledger.submit(expired)).toMatchObject({ kind: 'settled', charge: 0n })
    const late = capture(hold.holdId, 130n, { cost: nanocreditsOf(100n), now: TEST_NOW + DAY_MS })
    expect(await money.ledger.submit(late)).toEqual({ kind: 'settled', charge: 100n, writeOff: 30n, isLate: false })
    expect(await money.ledger.submit(late)).toEqual({ kind: 'already_settled', charge: 100n })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 0n, held: 0n })
    const record = await findRecord(hold.holdId)
    expect(record).toMatchObject({ charge: 100n, status: 'ok', created_at: TEST_NOW + 5, completion_tokens: 20 })
  })

  test('a loss that is learnt late is written off, once, in place of what a sweep knew', async () => {
    const caller = await money.createCaller(100n)
    const hold = placeHold(caller, { fixed: 50n })
    await money.ledger.submit(hold)
    await money.ledger.submit(release(hold.holdId, { end: 'expired', now: TEST_NOW + 5 }))
    const lost = { cost: nanocreditsOf(40n), lost: nanocreditsOf(40n), now: TEST_NOW + DAY_MS }
    const late = release(hold.holdId, lost)
    expect(await money.ledger.submit(late)).toEqual({ kind: 'settled', charge: 0n, writeOff: 40n, isLate: false })
    expect(await money.ledger.submit(late)).toEqual({ kind: 'already_settled', charge: 0n })
    expect(await money.ledger.submit(capture(hold.holdId, 30n))).toEqual({ kind: 'already_settled', charge: 0n })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: 100n, held: 0n })
    expect(await findRecord(hold.holdId)).toMatchObject({ charge: 0n, write_off: 40n, created_at: TEST_NOW + 5 })
  })

  test('a hold that never was is an error of its caller alone', async () => {
    const caller = await money.createCaller(100n)
    const [unknown, placed] = await Promise.allSettled([
      money.ledger.submit(capture('no-such-hold', 1n)),
      money.ledger.submit(placeHold(caller, { fixed: 1n })),
    ])
    expect(unknown.status).toBe('rejected')
    expect(placed).toMatchObject({ status: 'fulfilled', value: { kind: 'placed' } })
  })

  test('a credit counts once, and a debit never takes what is held', async () => {
    const caller = await money.createCaller(0n)
    const deposit = grant(caller.accountId, 9_500n, { transferId: `tx-${caller.accountId}` })
    expect(await money.ledger.submit(deposit)).toEqual({ kind: 'credited', posted: 9_500n })
    expect(await money.ledger.submit(deposit)).toEqual({ kind: 'already_credited', posted: 9_500n })
    const hold = placeHold(caller, { fixed: 9_000n })
    await money.ledger.submit(hold)
    const debit = grant(caller.accountId, -501n, { source: 'adjustment', reason: 'correction' })
    expect(await money.ledger.submit(debit)).toEqual({ kind: 'insufficient', available: 500n })
    await money.ledger.submit(release(hold.holdId))
    expect(await money.ledger.submit(debit)).toEqual({ kind: 'credited', posted: 8_999n })
    expect(await money.ledger.submit(grant('nobody', 1n))).toEqual({ kind: 'unknown_account' })
  })

  test('an id that is used for another credit is refused, and says whose it is', async () => {
    const [caller, other] = [await money.createCaller(0n), await money.createCaller(0n)]
    const first = grant(caller.accountId, 500n, { transferId: `named-${caller.accountId}`, reason: 'welcome' })
    const { accountId } = caller
    const by = { accountId, kind: 'grant', amount: 500n, reason: 'welcome' }
    const others = [
      { ...first, accountId: other.accountId },
      { ...first, amount: nanocreditsOf(501n) },
      { ...first, reason: 'another' },
      { ...first, source: 'adjustment' as const },
    ]
    // In one batch with the first, and in later ones.
    const together = await Promise.all([first, ...others, first].map((each) => money.ledger.submit(each)))
    expect(together.map(({ kind }) => kind)).toEqual(['credited', ...others.map(() => 'id_taken'), 'already_credited'])
    for (const each of others) expect(await money.ledger.submit(each)).toEqual({ kind: 'id_taken', by })
    expect(await money.ledger.submit(first)).toEqual({ kind: 'already_credited', posted: 500n })
    expect(await money.findBalance(other.accountId)).toEqual({ posted: 0n, held: 0n })
  })

  test('a journal renews the lease and notes progress of open holds of its own process only', async () => {
    const caller = await money.createCaller(100n)
    const [open, foreign] = [placeHold(caller, { fixed: 1n, processId: 'p1' }), placeHold(caller, { processId: 'p2' })]
    await money.ledger.submit(open)
    await money.ledger.submit(foreign)
    const progress = {
      charge: nanocreditsOf(5n),
      cost: nanocreditsOf(4n),
      promptTokens: 1,
      completionTokens: 2,
      pricing: '{"a":"\\u0000"}',
      upstream: 'test',
      upstreamModel: 'm',
      generationId: 'gen-1',
    }
    const entries = [open, foreign].map(({ holdId }) => ({ holdId, ...progress }))
    const journal = { kind: 'journal', processId: 'p1', leaseUntil: TEST_NOW + 9, entries, now: TEST_NOW } as const
    expect(await money.ledger.submit(journal)).toEqual({ kind: 'journaled' })
    const rows = await money.test.database.read
      .selectFrom('hold')
      .select(['hold_id', 'progress'])
      .where('account_id', '=', caller.accountId)
      .execute()
    expect(rows.filter((row) => row.progress !== null).map((row) => row.hold_id)).toEqual([open.holdId])
    for (const { holdId } of [open, foreign]) await money.ledger.submit(release(holdId))
  })

  test('a hold and its charge count in the budget period in which the hold was placed', async () => {
    const caller = await money.createCaller(10_000n, { keyLimit: 100n, period: 'daily' })
    const yesterday = placeHold(caller, { fixed: 80n })
    await money.ledger.submit(yesterday)
    expect(await money.ledger.submit(placeHold(caller, { fixed: 30n }))).toMatchObject({
      kind: 'insufficient',
      limit: 'key',
    })
    const today = placeHold(caller, { fixed: 90n, now: TEST_NOW + DAY_MS })
    expect(await money.ledger.submit(today)).toMatchObject({ kind: 'placed' })
    await money.ledger.submit(capture(yesterday.holdId, 70n, { now: TEST_NOW + DAY_MS }))
    expect(await findBudget(caller.keyBudgetId)).toMatchObject({ spent: 0n, reserved: 90n })
    await money.ledger.submit(capture(today.holdId, 40n, { now: TEST_NOW + DAY_MS }))
    expect(await findBudget(caller.keyBudgetId)).toMatchObject({ spent: 40n, reserved: 0n })
  })

  test('text that a database cannot store reaches it made storable', async () => {
    const caller = await money.createCaller(100n)
    const hold = placeHold(caller, { model: `a\0b\ud800${'x'.repeat(3_000)}` })
    await money.ledger.submit(hold)
    await money.ledger.submit(capture(hold.holdId, 0n, { facts: { ...DELIVERED, errorCode: 'a\0' } }))
    const record = await findRecord(hold.holdId)
    expect(record.model).toHaveLength(500)
    expect(record.error_code).toBe('a\ufffd')
  })
})
