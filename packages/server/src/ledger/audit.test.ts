import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CompiledQuery } from 'kysely'
import { capture, placeHold, TEST_NOW } from '../../testing/ledger-operations.ts'
import { openTestLedger, type TestLedger } from '../../testing/test-ledger.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
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
    ['budgets', 'update budget set spent = spent + 1 where limit_nanocredits is not null'],
    ['totals', 'update usage_daily set charge = charge + 1'],
    ['totals', 'delete from usage_daily'],
  ])('finds a breach of "%s"', async (name, sql) => {
    await plant(sql)
    expect(await broken()).toContain(name)
    expect(renderAudit(await audit())).toContain(`BROKEN  ${name}`)
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
