/** Books that a hand has changed, a row of one table at a time: the audit says so, whatever the table. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { nanocreditsOf } from '@svc/contract'
import { openBreakableDatabase, type BreakableDatabase } from '../../../testing/breakable-database.ts'
import { capture, grant, placeHold, release } from '../../../testing/ledger-operations.ts'
import { hexOf, seedReadyDeposit, seenDeposit } from '../../../testing/seed-deposit.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { openVideoStage, type VideoStage } from '../../../testing/video-stage.ts'
import { createJournalStore } from '../../access/operators/journal-store.ts'
import { recordCredit } from '../../operations/actions/record-credit.ts'
import { readVideo } from '../../modalities/videos/read-video.ts'
import { createOutflowStore } from '../../deposits/outflow-store.ts'
import { ASSET_DECIMALS } from '../../chain/assets.ts'
import { DECIMALS } from './audit-deposits.ts'
import { logInvariant } from '../ledger-log/audit-log.ts'
import { invariants } from './audit-invariants.ts'
import type { Invariant } from './audit-query.ts'
import { runAudit } from './audit.ts'

const CREDITS = 25_000_000_000_000n

/** An account that is not the first caller's. */
const OTHER = '(select max(account_id) from account)'

/** Another transfer like the capture, but for these columns. */
function againAs(id: string, kind: string, holdId: string): string {
  return `insert into transfer select ${id}, account_id, ${kind}, ${holdId}, funding, charge, write_off, cost, margin,
    reason, created_at from transfer where hold_id = 'charged'`
}

/** Another transfer like one, but for its id. */
function againOf(transferId: string, id: string): string {
  return `insert into transfer select ${id}, account_id, kind, hold_id, funding, charge, write_off, cost, margin, reason,
    created_at from transfer where transfer_id = '${transferId}'`
}

function pricedAt(usd: string): string {
  const pricing = `{"basis":"cost","cost_usd":"${usd}","margin_bps":2000}`
  return `update usage_record set basis = 'cost', pricing = '${pricing}' where usage_id = 'charged'`
}

/** An invoice for a month in which nothing was charged. */
function invoiceOf(number: number, charge: number): string {
  return `insert into invoice (number, account_id, month, issued_at, charge, correction_amount, document)
    values (${number}, (select min(account_id) from account), '1970-01', 1, ${charge}, 0, '{}')`
}

/** Sets the balance to what the transfers say, and the totals and budgets to what the records say. */
const FOLLOW: readonly (readonly [table: string, statement: string])[] = [
  [
    'balance',
    `update balance set posted =
       (select sum(funding - charge) from transfer t where t.account_id = balance.account_id)`,
  ],
  [
    'usage_daily',
    `update usage_daily set charge = (select sum(charge) from usage_record u where u.key_id = usage_daily.key_id
       and u.model = usage_daily.model and u.type = usage_daily.type)`,
  ],
  [
    'budget_window',
    `update budget_window set spent = coalesce((select sum(charge) from usage_record u join hold h
       on h.hold_id = u.usage_id where (h.key_budget_id = budget_id and h.key_window_start = window_start)
       or (h.team_budget_id = budget_id and h.team_window_start = window_start)), 0)`,
  ],
]

/** Changes of several tables that agree with each other, and the promise that is found broken all the same. */
const CONSISTENT_BREAKS: readonly (readonly [
  what: string,
  statements: readonly (readonly [table: string, statement: string])[],
  promise: string,
])[] = [
  [
    'a deposit of ten times its worth',
    [
      ['deposit', `update deposit set credits = credits * 10`],
      ['transfer', `update transfer set funding = funding * 10 where kind = 'deposit'`],
      ...FOLLOW,
    ],
    'deposit values',
  ],
  [
    'a dollar that is worth ten',
    [
      ['deposit', `update deposit set credits = credits * 10, price = '10'`],
      ['transfer', `update transfer set funding = funding * 10 where kind = 'deposit'`],
      ...FOLLOW,
    ],
    'deposit values',
  ],
  [
    'a deposit of another account',
    [
      ['deposit', `update deposit set account_id = ${OTHER}, address = '0x${'de'.repeat(20)}'`],
      ['transfer', `update transfer set account_id = ${OTHER} where kind = 'deposit'`],
      ...FOLLOW,
      ['address_inflow', `delete from address_inflow`],
    ],
    'deposit addresses',
  ],
  [
    'a capture that was made twice',
    [['transfer', againAs(`'z'`, 'kind', 'hold_id')], ...FOLLOW],
    'charged as recorded',
  ],
  ['a capture without a hold', [['transfer', againAs(`'z'`, 'kind', 'null')], ...FOLLOW], 'charged as recorded'],
  [
    'a charge that is hidden as a loss',
    [
      ['transfer', `update transfer set charge = 1, write_off = cost + margin - 1 where kind = 'capture'`],
      [
        'usage_record',
        `update usage_record set charge = 1,
           write_off = (select write_off from transfer where hold_id = usage_id) where charge > 0`,
      ],
      ['video_job', `update video_job set charge = 1 where charge > 0`],
      ...FOLLOW,
    ],
    'charged as priced',
  ],
  [
    'a charge that was raised',
    [
      ['transfer', `update transfer set charge = charge + 7, margin = margin + 7 where hold_id = 'charged'`],
      ['usage_record', `update usage_record set charge = charge + 7 where usage_id = 'charged'`],
      ...FOLLOW,
    ],
    'charged as priced',
  ],
  [
    'a cost that was raised',
    [
      ['transfer', `update transfer set cost = cost + 7, margin = margin - 7 where hold_id = 'charged'`],
      ['usage_record', `update usage_record set cost = cost + 7 where usage_id = 'charged'`],
    ],
    'charged as priced',
  ],
  [
    'a grant that was written twice',
    [['transfer', againOf('grant:gift', `'grant:gift again'`)], ...FOLLOW],
    'given credits',
  ],
  [
    'a grant that was taken away',
    [['transfer', `delete from transfer where transfer_id = 'grant:gift'`], ...FOLLOW],
    'given credits',
  ],
  [
    'a grant of ten times what was given',
    [['transfer', `update transfer set funding = funding * 10 where transfer_id = 'grant:gift'`], ...FOLLOW],
    'given credits',
  ],
  [
    'a grant to another account',
    [['transfer', `update transfer set account_id = ${OTHER} where transfer_id = 'grant:gift'`], ...FOLLOW],
    'given credits',
  ],
  [
    'a key that pays from another account',
    [
      ['team', `update team set account_id = ${OTHER}`],
      ['api_key', `update api_key set account_id = ${OTHER}`],
    ],
    'one owner',
  ],
  [
    'a request that was removed as if it were archived',
    [
      ['archive_file', `insert into archive_file values (1, 'x', '!', '~', 1, 1, '${'0'.repeat(64)}', 0)`],
      ['usage_record', `delete from usage_record where usage_id = 'charged'`],
      ['hold', `delete from hold where hold_id = 'charged'`],
    ],
    'archive',
  ],
  [
    'a job of another account',
    [
      ['video_job', `update video_job set account_id = ${OTHER}, key_id = (select max(key_id) from api_key)`],
      ['hold', `update hold set account_id = 'nobody' where process_id = 'video-jobs'`],
    ],
    'one owner',
  ],
]

/** Table, what is done to it, and the promise that is found broken. */
const BREAKS: readonly (readonly [table: string, statement: string, promise: string])[] = [
  ['account', `delete from account where name = 'Test'`, 'references'],
  ['balance', `delete from balance where held > 0`, 'references'],
  ['balance', `update balance set posted = posted + 1 where held > 0`, 'posted'],
  ['balance', `update balance set held = held + 1 where held > 0`, 'held'],
  ['balance', `update balance set posted = held - 1 where held > 0`, 'covered'],
  ['team', `delete from team where budget_id is not null`, 'references'],
  ['api_key', `delete from api_key where key_hash = key_id`, 'references'],
  ['budget', `delete from budget where limit_nanocredits = 9000000`, 'references'],
  ['budget_window', `delete from budget_window where spent > 0`, 'budgets'],
  ['budget_window', `update budget_window set spent = spent + 1 where spent > 0`, 'budgets'],
  ['budget_window', `update budget_window set reserved = reserved - 1 where reserved > 0`, 'budgets'],
  ['budget_window', `update budget_window set window_start = 1 where spent > 0`, 'budgets'],
  ['hold', `delete from hold where hold_id = 'open'`, 'held'],
  ['hold', `delete from hold where hold_id = 'charged'`, 'references'],
  ['hold', `delete from hold where hold_id = 'failed'`, 'references'],
  ['hold', `delete from hold where process_id = 'video-jobs' and state = 'held'`, 'references'],
  ['hold', `update hold set placed_at = 1, process_id = 'gone' where hold_id = 'open'`, 'no orphans'],
  ['hold', `update hold set amount = amount + 1 where hold_id = 'open'`, 'held'],
  ['hold', `update hold set amount = amount + 1 where hold_id = 'grown'`, 'grown'],
  ['hold', `update hold set state = 'released', ended_at = 1 where hold_id = 'open'`, 'settled once'],
  ['hold', `update hold set state = 'held', ended_at = null where hold_id = 'charged'`, 'settled once'],
  ['hold', `update hold set state = 'released' where hold_id = 'charged'`, 'as placed'],
  ['hold', `update hold set account_id = 'nobody' where hold_id = 'charged'`, 'as placed'],
  ['hold', `update hold set key_id = 'nobody' where hold_id = 'failed'`, 'as placed'],
  ['hold', `update hold set model = 'other' where hold_id = 'failed'`, 'as placed'],
  ['hold', `update hold set team_budget_id = null where hold_id = 'charged'`, 'budgets'],
  ['hold', `update hold set key_window_start = 5 where hold_id = 'charged'`, 'budgets'],
  ['hold', `update hold set first_amount = first_amount - 1 where hold_id = 'grown'`, 'grown'],
  ['hold', `update hold set first_amount = null where hold_id = 'grown'`, 'grown'],
  ['hold', `update hold set first_amount = amount where hold_id = 'charged'`, 'grown'],
  ['hold_extension', `update hold_extension set amount = amount + 1`, 'grown'],
  ['hold_extension', `update hold_extension set added_amount = added_amount - 1`, 'grown'],
  ['hold_extension', `update hold_extension set amount = amount - 1, added_amount = added_amount - 1`, 'grown'],
  ['hold_extension', `delete from hold_extension`, 'grown'],
  ['transfer', `delete from transfer where hold_id = 'charged'`, 'posted'],
  ['transfer', `delete from transfer where hold_id = 'lost'`, 'charged as recorded'],
  ['transfer', `delete from transfer where kind = 'grant'`, 'posted'],
  ['transfer', `delete from transfer where kind = 'deposit'`, 'deposits'],
  ['transfer', `update transfer set charge = charge - 1, write_off = 1 where hold_id = 'charged'`, 'posted'],
  ['transfer', `update transfer set write_off = 8, cost = 8 where hold_id = 'lost'`, 'charged as recorded'],
  [
    'transfer',
    `update transfer set margin = margin - 1, cost = cost + 1 where hold_id = 'charged'`,
    'charged as recorded',
  ],
  ['transfer', `update transfer set margin = margin - 1 where hold_id = 'charged'`, 'balanced'],
  ['transfer', `update transfer set margin = 0, cost = charge where hold_id = 'charged'`, 'margin'],
  ['transfer', `update transfer set account_id = 'nobody' where hold_id = 'lost'`, 'charged as recorded'],
  ['transfer', `update transfer set created_at = 1 where hold_id = 'charged'`, 'as placed'],
  ['transfer', `update transfer set reason = '' where kind = 'adjustment'`, 'credits never expire'],
  ['transfer', againAs(`transfer_id || 'x'`, 'kind', 'hold_id'), 'charged as recorded'],
  ['transfer', againAs(`'none'`, 'kind', 'null'), 'charged as recorded'],
  ['transfer', againAs(`'none'`, `'write_off'`, 'null'), 'charged as recorded'],
  ['transfer', againAs(`'none'`, `'grant'`, 'null'), 'charged as recorded'],
  ['transfer', `update transfer set charge = 1, funding = 1 where kind = 'grant'`, 'charged as recorded'],
  ['usage_record', `delete from usage_record where usage_id = 'charged'`, 'settled once'],
  ['usage_record', `delete from usage_record where usage_id = 'failed'`, 'settled once'],
  ['usage_record', `update usage_record set charge = charge + 1 where usage_id = 'charged'`, 'charged as recorded'],
  ['usage_record', `update usage_record set write_off = 1 where usage_id = 'failed'`, 'charged as recorded'],
  ['usage_record', `update usage_record set cost = 1 where usage_id = 'failed'`, 'charged as recorded'],
  ['usage_record', `update usage_record set status = 'error' where usage_id = 'charged'`, 'failed is free'],
  ['usage_record', `update usage_record set account_id = 'nobody' where usage_id = 'failed'`, 'as placed'],
  ['usage_record', `update usage_record set team_id = 'nobody' where usage_id = 'charged'`, 'as placed'],
  ['usage_record', `update usage_record set started_at = 1 where usage_id = 'charged'`, 'as placed'],
  ['usage_record', `update usage_record set prompt_tokens = 99 where usage_id = 'charged'`, 'totals'],
  ['usage_record', `update usage_record set pricing = null where usage_id = 'charged'`, 'charged as priced'],
  ['usage_record', `update usage_record set pricing = '{}' where usage_id = 'charged'`, 'charged as priced'],
  ['usage_record', pricedAt('0.0000000000005'), 'charged as priced'],
  ['usage_record', pricedAt('999'), 'charged as priced'],
  [
    'usage_record',
    `update usage_record set pricing = replace(pricing, '"margin_bps":2000', '"margin_bps":1999') where usage_id = 'charged'`,
    'charged as priced',
  ],
  ['usage_record', `update usage_record set basis = 'list' where usage_id = 'charged'`, 'charged as priced'],
  ['usage_record', `update usage_record set prompt_tokens = 99 where usage_id = 'charged'`, 'charged as priced'],
  ['usage_record', `update usage_record set write_off = 1, charge = charge - 1 where charge > 0`, 'charged as priced'],
  ['usage_record', `update usage_record set write_off = 8 where usage_id = 'lost'`, 'charged as priced'],
  ['archive_file', `insert into archive_file values (1, 'x', '!', '!', 1, 1, '${'0'.repeat(64)}', 0)`, 'archive'],
  ['usage_daily', `update usage_daily set account_id = ${OTHER}`, 'totals'],
  ['usage_daily', `update usage_daily set account_id = ${OTHER}`, 'one owner'],
  ['api_key', `update api_key set account_id = ${OTHER}`, 'one owner'],
  ['api_key', `update api_key set budget_id = (select max(budget_id) from budget)`, 'one owner'],
  ['api_key', `update api_key set mirrored_by = (select max(key_id) from api_key)`, 'one owner'],
  ['team', `update team set account_id = ${OTHER}`, 'one owner'],
  ['hold', `update hold set key_budget_id = team_budget_id where hold_id = 'failed'`, 'one owner'],
  ['video_job', `update video_job set account_id = 'nobody'`, 'one owner'],
  ['video_job', `update video_job set key_id = 'nobody'`, 'one owner'],
  ['video_job', `update video_job set price = replace(price, '"seconds":', '"seconds":1')`, 'job charges'],
  ['video_job', `update video_job set cost_usd = '9' where state = 'completed'`, 'job charges'],
  ['hold', `update hold set process_id = 'x' where process_id = 'video-jobs' and state = 'held'`, 'job holds'],
  ['usage_daily', `delete from usage_daily where charge > 0`, 'totals'],
  ['usage_daily', `update usage_daily set requests = requests + 1`, 'totals'],
  ['video_job', `delete from video_job where settled_at is null`, 'job holds'],
  ['video_job', `update video_job set charge = charge + 1 where state = 'completed'`, 'job charges'],
  ['video_job', `update video_job set hold_id = 'nothing' where settled_at is null`, 'references'],
  ['deposit', `delete from deposit where state = 'credited'`, 'deposits'],
  ['deposit', `update deposit set credits = credits + 1 where state = 'credited'`, 'deposits'],
  ['deposit', `update deposit set price = '10' where state = 'credited'`, 'deposit values'],
  ['deposit', `update deposit set price = null where state = 'credited'`, 'deposit values'],
  ['deposit', `update deposit set asset = 'ETH' where state = 'credited'`, 'deposit values'],
  ['deposit', `update deposit set credits = credits * 10 where state = 'credited'`, 'deposit values'],
  ['deposit', `update deposit set address = '0x${'de'.repeat(20)}' where state = 'credited'`, 'deposit addresses'],
  ['deposit', `update deposit set address = '0x${'de'.repeat(20)}' where state = 'credited'`, 'deposit inflow'],
  ['deposit', `update deposit set chain_id = 1 where state = 'credited'`, 'deposit addresses'],
  ['deposit', `update deposit set chain_id = 1 where state = 'credited'`, 'deposit inflow'],
  ['deposit_address', `update deposit_address set chain_id = 1`, 'deposit addresses'],
  ['deposit', `update deposit set raw_amount = '25000001' where state = 'credited'`, 'deposit inflow'],
  ['deposit', `update deposit set account_id = 'nobody' where state = 'credited'`, 'deposits'],
  ['deposit', `update deposit set state = 'under_review', credited_at = null where state = 'credited'`, 'deposits'],
  ['deposit_address', `delete from deposit_address`, 'deposit addresses'],
  ['deposit_address', `update deposit_address set account_id = 'nobody'`, 'deposit addresses'],
  ['address_inflow', `delete from address_inflow`, 'deposit inflow'],
  ['address_inflow', `update address_inflow set raw_inflow = '24999999'`, 'deposit inflow'],
  ['address_inflow', `update address_inflow set raw_credited = '24999999'`, 'deposit inflow'],
  ['deposit_match', `update deposit_match set raw_amount = '25000001'`, 'deposit matches'],
  ['outflow', `update outflow set raw_amount = '1000001'`, 'outflows'],
  ['outflow', `update outflow set raw_fee = '1'`, 'outflows'],
  ['outflow', `update outflow set state = 'sent'`, 'outflows'],
  ['outflow', `update outflow set block_number = 199`, 'outflows'],
  ['outflow', `update outflow set address = '0x1'`, 'outflows'],
  ['outflow', `update outflow set tx_hash = '0x2'`, 'outflows'],
  ['idempotent_request', `update idempotent_request set request_id = 'nothing'`, 'stored answers'],
  ['invoice', invoiceOf(2, 0), 'invoices'],
  ['invoice', invoiceOf(1, 7), 'invoices'],
]

test('each promise of the audit is broken by a change', () => {
  const broken = new Set([...BREAKS, ...CONSISTENT_BREAKS].map(([, , promise]) => promise))
  expect([...broken].toSorted()).toEqual(invariants.map(({ name }) => name).toSorted())
})

test('each promise of the audit is documented, and none besides', () => {
  const page = readFileSync(new URL('../../../../../docs/operations.md', import.meta.url), 'utf8')
  const section = /^## The audit\n[^]*?(?=^## )/m.exec(page)?.[0] ?? ''
  const documented = [...section.matchAll(/^\| `([a-z ]+)` \|/gm)].map(([, name]) => name)
  const promises = [...invariants, logInvariant({ signers: [], checkpoints: [] })]
  expect(documented).toEqual(promises.map(({ name }) => name))
})

describeEachEngine('books that a hand has changed', (engine) => {
  let stage: VideoStage
  let hand: BreakableDatabase
  beforeAll(async () => {
    stage = await openVideoStage(engine)
    const { money } = stage
    const now = stage.clock.now()
    const caller = await money.createCaller(1_000_000n, {
      keyLimit: 9_000_000n,
      teamLimit: 9_000_000n,
      period: 'daily',
    })
    const { ledger } = money
    for (const holdId of ['charged', 'failed', 'lost', 'open', 'grown']) {
      await ledger.submit(placeHold(caller, { holdId, fixed: 900n, perUnit: 1n, units: 1, now }))
    }
    const grown = { fixed: nanocreditsOf(900n), perUnit: nanocreditsOf(1n), targetUnits: 50, now }
    await ledger.submit({ kind: 'extend', holdId: 'grown', ...grown })
    await ledger.submit(capture('charged', 600n, { now }))
    await ledger.submit(release('failed', { now }))
    await ledger.submit(release('lost', { now, cost: nanocreditsOf(7n) }))
    const adjustment = { source: 'adjustment', reason: 'a reason', now } as const
    await ledger.submit(grant(caller.accountId, -5n, adjustment))
    const by = { operatorId: null, name: 'Ada', way: 'command' } as const
    const journal = createJournalStore(money.test.database)
    const gift = { source: 'grant', accountId: caller.accountId, amount: nanocreditsOf(77n), id: 'gift' } as const
    await recordCredit({ ledger, journal, clock: stage.clock }, by, { ...gift, reason: 'a gift' })

    const { database } = money.test
    const { read } = database
    const seen = seenDeposit(caller.accountId)
    const { chainId, address, txHash, blockHash, ordinal } = seen
    const at = { chain_id: chainId, account_id: caller.accountId }
    const own = { address_id: 'own', ...at, xpub_id: 'x', derivation_index: 0, address, created_at: 1 }
    await database.write([read.insertInto('deposit_address').values(own).compile()])
    const { depositId } = await seedReadyDeposit(database, seen, CREDITS)
    const inflow = { amount: 25_000_000n, blockNumber: 200 }
    const deposit = { chainId, txHash, ordinal, blockHash, amount: nanocreditsOf(CREDITS), inflow, reason: 'paid', now }
    await ledger.submit({ kind: 'deposit', ...deposit })
    const part = { chain_id: chainId, tx_hash: hexOf(0xab, 32), ordinal: 'log:1', deposit_id: depositId }
    const outflows = createOutflowStore(database)
    const left = { outflowId: 'left', chainId, asset: 'USDG', address, txHash: null } as const
    const nothing = { amount: 1_000_000n, fee: 0n, blockNumber: null, blockHash: null } as const
    await outflows.insert({ ...left, ...nothing, state: 'planned' }, now)
    const ended = { state: 'final', txHash: hexOf(0xac, 32), blockNumber: 190, blockHash: hexOf(0xad, 32) } as const
    await outflows.change('left', ['planned'], ended, now)
    const kept = { caller_id: caller.keyId, name_hash: 'n', body_hash: 'b', request_id: 'charged', process_id: 'p' }
    await database.write([
      read
        .insertInto('deposit_match')
        .values({ ...part, raw_amount: '1000000', block_number: 1, matched_at: 1 })
        .compile(),
      read
        .insertInto('idempotent_request')
        .values({ ...kept, state: 'answered', answer: 'sealed', expires_at: now + 1 })
        .compile(),
    ])
    const viewer = await stage.createCaller(10_000n)
    await stage.submit(viewer)
    const done = await stage.submit(viewer)
    stage.stub.complete(stage.upstreamJob(done))
    await readVideo(stage.deps, viewer, done.jobId)
    hand = await openBreakableDatabase(money.test)
  })
  afterAll(async () => {
    await hand.close()
    await stage.closeUnsound()
  })

  const broken = async (): Promise<string[]> => {
    const report = await runAudit(stage.money.test.database, { now: () => stage.clock.now() })
    return report.rows.filter((row) => row.breaches > 0).map((row) => row.name)
  }

  /** Whether one promise is: a whole audit for each of the breaks takes ten times the work. */
  const isKept = async (promise: string): Promise<boolean> => {
    const { check } = invariants.find(({ name }) => name === promise) as Invariant
    const { read } = stage.money.test.database
    return (await check({ db: read, engine, now: stage.clock.now() })).breaches.length === 0
  }

  test('are sound before', async () => {
    expect(await broken()).toEqual([])
  })

  test.each(BREAKS)('%s: %s breaks "%s"', async (table, statement, promise) => {
    const restore = await hand.breakTable(table, statement)
    try {
      expect(await isKept(promise)).toBe(false)
    } finally {
      await restore()
    }
  })

  test.each(CONSISTENT_BREAKS)('with %s', async (_what, statements, promise) => {
    const restores: (() => Promise<void>)[] = []
    try {
      for (const [table, statement] of statements) restores.unshift(await hand.breakTable(table, statement))
      expect(await isKept(promise)).toBe(false)
    } finally {
      for (const restore of restores) await restore()
    }
  })

  test('count an asset by the decimals that its chain has', () => {
    expect(DECIMALS).toEqual(ASSET_DECIMALS)
  })

  test('are sound again', async () => {
    expect(await broken()).toEqual([])
  })
})
