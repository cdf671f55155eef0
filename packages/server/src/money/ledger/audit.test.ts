import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CompiledQuery } from 'kysely'
import { capture, placeHold, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { openTestLedger, type TestLedger } from '../../../testing/test-ledger.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { renderAudit, runAudit } from './audit.ts'

const HOUR_MS = 3_600_000

describeEachEngine('the audit', (engine) => {
  let money: TestLedger
  let captured: string
  let open: string
  beforeEach(async () => {
    money = await openTestLedger(engine)
    const caller = await money.createCaller(1_000_000_000_000n, { keyLimit: 5_000_000_000n })
    const holds = [placeHold(caller, { fixed: 3_000n }), placeHold(caller, { fixed: 500n })]
    for (const hold of holds) await money.ledger.submit(hold)
    ;[captured = '', open = ''] = holds.map((hold) => hold.holdId)
    await money.ledger.submit(capture(captured, 1_200n))
  })
  afterEach(() => money.close())

  const audit = (now = TEST_NOW) => runAudit(money.test.database, { now: () => now })
  const broken = async (now = TEST_NOW) =>
    (await audit(now)).rows.filter((row) => row.breaches > 0).map((row) => row.name)
  const statement = (sql: string): CompiledQuery => ({
    sql,
    parameters: [],
    query: { kind: 'RawNode', sqlFragments: [sql], parameters: [] },
    queryId: { queryId: 'planted' },
  })
  /** Breaks the books as nothing but a hand in the database could. */
  const plant = (...statements: string[]) => money.test.database.write(statements.map(statement))

  test('keeps silent about sound books and prints every promise with its figures', async () => {
    const report = await audit()
    expect(report.breaches).toBe(0)
    const text = renderAudit(report)
    expect(text).toContain(`All ${report.rows.length} promises are kept.`)
    expect(text).toContain('posted 999.9999988')
    for (const row of report.rows) expect(text).toContain(`kept    ${row.name}: ${row.promise}`)
  })

  test.each([
    ['posted', 'update balance set posted = posted + 1'],
    ['held', 'update balance set held = held + 1'],
    ['budgets', 'update budget_window set spent = spent + 1'],
    ['totals', 'update usage_daily set charge = charge + 1'],
    ['totals', 'delete from usage_daily'],
    ['grown', `insert into hold_extension select hold_id, amount + 1, 1, placed_at from hold`],
  ])('finds a breach of "%s"', async (name, sql) => {
    await plant(sql)
    expect(await broken()).toContain(name)
    expect(renderAudit(await audit())).toContain(`BROKEN  ${name}`)
  })

  test.each([
    ['deposits', plantDeposit({ transfer: false })],
    ['deposits', plantDeposit({ funding: 7 })],
    ['deposit inflow', plantDeposit({ inflow: '24999999' })],
    ['deposit inflow', plantDeposit({ inflow: null })],
  ])('finds a breach of "%s" in planted deposits', async (name, statements) => {
    const [caller] = await money.test.database.read.selectFrom('account').select('account_id').execute()
    await plant(...statements.map((text) => text.replaceAll('ACCOUNT', caller?.account_id ?? '')))
    expect(await broken()).toContain(name)
  })

  test('an inflow of 20 digits covers a deposit of as many', async () => {
    const [caller] = await money.test.database.read.selectFrom('account').select('account_id').execute()
    const amounts = { amount: '12345678901234567890', inflow: '12345678901234567890' }
    const statements = plantDeposit(amounts).map((text) => text.replaceAll('ACCOUNT', caller?.account_id ?? ''))
    await plant(...statements)
    expect(await broken()).not.toContain('deposit inflow')
  })

  test('finds an ended hold without a record', async () => {
    await plant(`update hold set state = 'released', ended_at = 1 where hold_id = '${open}'`)
    expect(await broken()).toEqual(['held', 'settled once', 'budgets'])
  })

  test('finds a hold whose process is gone', async () => {
    expect(await broken(TEST_NOW + HOUR_MS)).toEqual([])
    expect(await broken(TEST_NOW + HOUR_MS + 1)).toEqual(['no orphans'])
  })

  test.each(['transfer', 'usage_record'])(
    'cannot be fooled by editing: a %s is never changed or deleted',
    async (table) => {
      await expect(plant(`update ${table} set charge = charge + 1`)).rejects.toThrow(/never changed/)
      await expect(plant(`delete from ${table}`)).rejects.toThrow(/never (changed or )?deleted/)
    },
  )

  test('adds up sums beyond 64 bits', async () => {
    const limit = 4_000_000_000_000_000_000n
    for (let count = 0; count < 4; count++) {
      const caller = await money.createCaller(0n)
      await plant(`update balance set posted = ${limit} where account_id = '${caller.accountId}'`)
    }
    const report = await audit()
    expect(report.rows.find((row) => row.name === 'posted')).toMatchObject({
      breaches: 4,
      figures: { posted: '16000000999.9999988' },
    })
  })
})

interface Planted {
  readonly transfer?: boolean
  readonly funding?: number
  readonly amount?: string
  readonly inflow?: string | null
  readonly credited?: string
}

/** Statements that plant a credited deposit of 25 credits, sound but for what is said. */
function plantDeposit({ transfer = true, funding = 25, amount = '25000000', ...rest }: Planted): string[] {
  const { inflow = amount, credited = amount } = rest
  const address = `0x${'11'.repeat(20)}`
  const hash = `0x${'22'.repeat(32)}`
  return [
    `insert into deposit_address values ('a', 'ACCOUNT', 4663, 'key', 0, '${address}', 1)`,
    `insert into deposit (deposit_id, account_id, chain_id, tx_hash, ordinal, asset, address, raw_amount, block_number,
       block_hash, block_time, state, credits, seen_at, updated_at, credited_at)
     values ('d', 'ACCOUNT', 4663, '${hash}', 'log:0', 'USDG', '${address}', '${amount}', 1, '${hash}', 1, 'credited',
       25, 1, 1, 1)`,
    ...(transfer
      ? [`insert into transfer values ('d', 'ACCOUNT', 'deposit', null, ${funding}, 0, 0, 0, 0, 'x', 1)`]
      : []),
    ...(inflow === null
      ? []
      : [`insert into address_inflow values (4663, '${address}', 'USDG', '${inflow}', 1, '${credited}', 'r', 1)`]),
  ]
}
