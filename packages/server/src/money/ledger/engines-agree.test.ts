/** One random test drives both engines with the same operations and compares every answer and every table. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RecordCredit } from './credit-operations.ts'
import type { LedgerOperation, SettleHold } from './operations.ts'
import { DELIVERED, FAILED, capture, grant, placeHold, release, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { hexOf, seedReadyDeposit, seenDeposit } from '../../../testing/seed-deposit.ts'
import { createDepositStore } from '../../deposits/deposit-store.ts'
import { createRandom, type Random } from '../../../testing/random.ts'
import { seedCaller, type SeededCaller } from '../../../testing/seed-caller.ts'
import { findPostgres, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { nanocreditsOf } from '@svc/contract'
import { logInvariant } from '../ledger-log/audit-log.ts'
import { runAudit } from './audit.ts'
import { checkOperation } from './check-operation.ts'
import { createLedgerEngine } from './create-ledger-engine.ts'

/** What operations at random do not keep: their charges, costs and deposits are any. */
const UNLIKE_LIFE = [
  ...['margin', 'charged as priced', 'no orphans', 'failed is free', 'deposit addresses', 'deposit values'],
]

const TABLES = [
  ['account', ['account_id']],
  ['balance', ['account_id']],
  ['budget', ['budget_id']],
  ['budget_window', ['budget_id', 'window_start']],
  ['hold', ['hold_id']],
  ['hold_extension', ['hold_id', 'amount']],
  ['transfer', ['transfer_id']],
  ['usage_record', ['usage_id']],
  ['usage_daily', ['key_id', 'day', 'type', 'model']],
  ['process_lease', ['process_id']],
  ['ledger_entry', ['transfer_id', 'account']],
  ['replaced_record', ['usage_id']],
  ['deposit', ['deposit_id']],
  ['address_inflow', ['chain_id', 'address', 'asset']],
] as const

/** Deposits on the chain; each fourth is not final yet. */
const DEPOSITS = 40
const DEPOSIT_CREDITS = 5_000n
const BATCHES = Number(process.env['SVC_TEST_ROUNDS'] ?? 150)

describe.skipIf(findPostgres() === null)('both engines', () => {
  let sqlite: TestDatabase
  let postgres: TestDatabase
  beforeAll(async () => {
    sqlite = await openTestDatabase('sqlite')
    postgres = await openTestDatabase('postgres')
  })
  afterAll(async () => {
    await sqlite.close()
    await postgres.close()
  })

  test('answer every operation alike and end with the same rows', { timeout: 120_000 }, async () => {
    const random = createRandom()
    const world = await createWorld([sqlite, postgres], random)
    const engines = [sqlite, postgres].map(({ database }) => createLedgerEngine(database))
    for (let batch = 0; batch < BATCHES; batch++) {
      const operations = Array.from({ length: 1 + random.below(24) }, () => checkOperation(anyOperation(world)))
      if (random.below(5) === 0) operations.push(...operations.slice(0, 1 + random.below(operations.length)))
      for (const part of cutAtDeposits(operations)) {
        const [first, second] = await Promise.all(engines.map((engine) => engine.apply(part)))
        if (first === undefined || second === undefined) throw new Error('two engines answer')
        second.forEach((result, index) => {
          const kind = first[index]?.kind === 'fault' && result.kind === 'fault'
          const asked = { seed: random.seed, batch, operation: part[index] }
          if (!kind) expect({ ...asked, result }).toEqual({ ...asked, result: first[index] })
        })
        world.outcomes.push(...first.map((result) => result.kind))
      }
      world.now += random.below(3_600_000)
      // Now and then a clock is a month ahead or behind for a batch.
      world.now -= world.jump
      world.jump = random.below(10) === 0 ? (random.below(3) - 1) * 35 * 86_400_000 : 0
      world.now += world.jump
    }
    for (const [table, order] of TABLES) {
      const [first, second] = await Promise.all([sqlite, postgres].map((one) => readTable(one, table, order)))
      expect({ seed: random.seed, table, rows: second }).toEqual({ seed: random.seed, table, rows: first })
    }
    for (const one of [sqlite, postgres]) {
      const report = await runAudit(one.database, { now: () => world.now }, [
        logInvariant({ signers: [], checkpoints: [] }),
      ])
      const broken = report.rows.filter((row) => row.breaches > 0 && !UNLIKE_LIFE.includes(row.name))
      expect({ seed: random.seed, broken }).toEqual({ seed: random.seed, broken: [] })
    }
    // A random test proves something only if it reached every kind of answer.
    const kinds = [
      'placed',
      'insufficient',
      'refused',
      'extended',
      'settled',
      'already_settled',
      'unknown_caller',
      'credited',
      'already_credited',
      'id_taken',
      'unknown_account',
      'journaled',
      'deposited',
      'not_creditable',
      'exceeds_inflow',
      'unknown_deposit',
      'fault',
    ]
    expect(kinds.filter((kind) => !world.outcomes.includes(kind))).toEqual([])
  })
})

/**
 * Each deposit apart from what is beside it, as PostgreSQL applies them: a hold that ends twice, with a deposit in
 * between, is ended and corrected there, and would be ended once where its batch is one.
 */
function cutAtDeposits(operations: readonly LedgerOperation[]): readonly (readonly LedgerOperation[])[] {
  const parts: LedgerOperation[][] = []
  for (const [at, operation] of operations.entries()) {
    const isApart = operation.kind === 'deposit' || operations[at - 1]?.kind === 'deposit'
    if (isApart || parts.length === 0) parts.push([operation])
    else parts.at(-1)?.push(operation)
  }
  return parts
}

interface World {
  readonly random: Random
  readonly callers: readonly SeededCaller[]
  readonly holds: string[]
  readonly lost: string[]
  readonly credits: RecordCredit[]
  readonly outcomes: string[]
  now: number
  /** How far the clock is off, in milliseconds. */
  jump: number
}

async function createWorld(databases: readonly TestDatabase[], random: Random): Promise<World> {
  const callers: SeededCaller[] = []
  for (const [index, period] of (['none', 'daily', 'weekly', 'monthly'] as const).entries()) {
    for (const [at, { database }] of databases.entries()) {
      let made = 0
      const caller = await seedCaller(database, {
        createId: () => `caller-${index}-${made++}`,
        period,
        teamLimit: index === 1 ? null : 40_000n,
        keyLimit: index === 2 ? null : 30_000n,
        ...(index === 3 ? { expiresAt: TEST_NOW + 40 * 3_600_000 } : {}),
      })
      if (at === 0) callers.push(caller)
    }
  }
  await seedDeposits(databases, callers)
  return { random, callers, holds: [], lost: [], credits: [], outcomes: [], now: TEST_NOW, jump: 0 }
}

async function seedDeposits(databases: readonly TestDatabase[], callers: readonly SeededCaller[]): Promise<void> {
  for (const { database } of databases) {
    for (let at = 0; at < DEPOSITS; at++) {
      const { accountId } = callers[at % callers.length] as SeededCaller
      const seen = seenDeposit(accountId, { depositId: `deposit-${at}`, txHash: hexOf(at, 32) })
      if (at % 4 === 0) await createDepositStore(database).record([seen], 1)
      else await seedReadyDeposit(database, seen, DEPOSIT_CREDITS)
    }
  }
}

/** Mostly what is right; sometimes another block, another worth, too little that came, or what was not seen yet. */
function anyDeposit({ random, now }: World): LedgerOperation {
  return {
    kind: 'deposit',
    chainId: 4663,
    txHash: hexOf(random.below(DEPOSITS + 4), 32),
    ordinal: 'log:0',
    blockHash: hexOf(random.below(8) === 0 ? 0xcc : 0xbb, 32),
    amount: nanocreditsOf(DEPOSIT_CREDITS + (random.below(8) === 0 ? 1n : 0n)),
    inflow: random.below(4) === 0 ? null : { amount: BigInt(random.below(40)) * 25_000_000n, blockNumber: 200 },
    reason: 'test',
    now,
  }
}

function anyOperation(world: World): LedgerOperation {
  const { random, now } = world
  const kind = random.below(23)
  if (kind < 8) return anyPlace(world)
  if (kind < 10) {
    const amounts = {
      fixed: nanocreditsOf(BigInt(random.below(2_000))),
      perUnit: nanocreditsOf(BigInt(random.below(20))),
    }
    return { kind: 'extend', holdId: anyHold(world), ...amounts, targetUnits: random.below(600), now }
  }
  if (kind < 15) return anySettle(world)
  if (kind < 16) return anyLateSettle(world)
  if (kind < 18) {
    const known = random.below(4) === 0 ? world.credits[random.below(world.credits.length)] : undefined
    if (known !== undefined && random.below(2) === 0) return { ...known, now }
    const transferId = known?.transferId ?? `credit-${world.credits.length}`
    const accountId = random.below(20) === 0 ? 'nobody' : random.pick(world.callers).accountId
    const amount = BigInt(random.below(30_000) - 8_000) || 1n
    const credit = grant(accountId, amount, { transferId, source: amount < 0n ? 'adjustment' : 'grant', now })
    world.credits.push(credit)
    return credit
  }
  return kind < 20 ? anyJournal(world) : anyDeposit(world)
}

function anyPlace(world: World): LedgerOperation {
  const { random, now } = world
  const holdId = random.below(12) === 0 ? anyHold(world) : `hold-${world.holds.length}`
  world.holds.push(holdId)
  const caller = random.pick(world.callers)
  const stranger = random.below(40) === 0 ? { keyId: 'nobody' } : random.below(40) === 0 ? { accountId: 'nobody' } : {}
  return placeHold(caller, {
    holdId,
    ...(random.below(4) === 0 ? { teamBudgetId: null } : {}),
    ...stranger,
    processId: `process-${random.below(3)}`,
    model: random.pick(['svc-test', 'Émile', '\0odd\ud800', 'SVC-test']),
    stream: random.below(2) === 0,
    fixed: BigInt(random.below(3_000)),
    perUnit: random.below(6) === 0 ? 0n : BigInt(1 + random.below(20)),
    units: 1 + random.below(random.below(8) === 0 ? 1_000_000_000 : 800),
    policy: random.pick(['exact', 'stepwise', 'affordable'] as const),
    firstUnits: 1 + random.below(300),
    now: now + random.below(1_000),
  })
}

/** Some callers have agreed to a maximum. */
function anyMost(random: Random): Pick<SettleHold, 'most'> {
  return random.below(3) === 0 ? { most: nanocreditsOf(BigInt(random.below(5_000))) } : {}
}

function anySettle(world: World): LedgerOperation {
  const { random } = world
  const now = world.now + random.below(1_000)
  const holdId = random.below(40) === 0 ? 'hold-of-nobody' : anyHold(world)
  const cost = nanocreditsOf(BigInt(random.below(3) === 0 ? 0 : random.below(6_000)))
  const end = random.below(10)
  if (end < 2) return release(holdId, { cost, now })
  if (end < 4) return release(holdId, { end: 'expired', cost: nanocreditsOf(0n), now })
  const facts = random.below(4) === 0 ? FAILED : { ...DELIVERED, promptTokens: random.below(1_000) }
  return capture(holdId, BigInt(random.below(9_000)), { cost, facts, ...anyMost(random), now })
}

/** A settlement of a hold without a row, sometimes once more, by a caller who sometimes is gone, too. */
function anyLateSettle(world: World): LedgerOperation {
  const { random, lost, now } = world
  const holdId = random.below(4) === 0 ? random.pick(lost, 'lost-0') : `lost-${lost.length}`
  lost.push(holdId)
  const { accountId, keyId } = random.pick(world.callers)
  const placed = {
    accountId: random.below(12) === 0 ? 'nobody' : accountId,
    keyId: random.below(12) === 0 ? 'nobody' : keyId,
    processId: `process-${random.below(3)}`,
    type: 'chat',
    model: random.pick(['svc-test', '\0odd\ud800']),
    stream: random.below(2) === 0,
    placedAt: now - random.below(4) * 20 * 3_600_000,
  }
  if (random.below(3) === 0) {
    return release(holdId, { cost: nanocreditsOf(BigInt(random.below(2) * random.below(900))), placed, now })
  }
  const cost = nanocreditsOf(BigInt(random.below(6_000)))
  const charge = BigInt(random.below(random.below(4) === 0 ? 90_000 : 4_000))
  return capture(holdId, charge, { cost, placed, ...anyMost(random), now })
}

function anyJournal({ random, holds, now }: World): LedgerOperation {
  const entries = Array.from({ length: random.below(4) }, () => ({
    holdId: random.pick(holds, 'hold-0'),
    charge: nanocreditsOf(BigInt(random.below(500))),
    cost: nanocreditsOf(0n),
    promptTokens: 1,
    completionTokens: random.below(100),
    pricing: null,
    upstream: 'test',
    upstreamModel: null,
    generationId: 'gen"\\1',
  }))
  return { kind: 'journal', processId: `process-${random.below(3)}`, leaseUntil: now + 15_000, entries, now }
}

function anyHold({ random, holds }: World): string {
  const recent = holds.slice(-40)
  return random.pick(random.below(3) === 0 ? holds : recent, 'hold-0')
}

async function readTable({ database }: TestDatabase, table: (typeof TABLES)[number][0], order: readonly string[]) {
  const rows = await database.read.selectFrom(table).selectAll().execute()
  const keyOf = (row: object): string => JSON.stringify(order.map((name) => String(Reflect.get(row, name))))
  return rows.map((row) => ({ ...row })).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}
