/** A store from before there was a ledger log: its rows are the first leaves, once, in the order in which they were booked. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openBreakableDatabase } from '../../../testing/breakable-database.ts'
import { capture, grant, placeHold, release, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { seedCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { openTestLog, testSigners } from '../../../testing/test-log.ts'
import { listMigrations } from '../../platform/db/migrate.ts'
import { runAudit } from '../ledger/audit.ts'
import { logInvariant } from './audit-log.ts'

/** More than fit into one row of the queue. */
const GRANTS = 600

const TABLES = [
  ...['ledger_log_pending', 'replaced_record', 'ledger_log', 'ledger_log_key', 'ledger_log_batch'],
  ...['ledger_log_tile', 'ledger_log_account'],
]

describeEachEngine('a store from before the ledger log', (engine) => {
  let open: TestDatabase
  beforeEach(async () => {
    open = await openTestDatabase(engine)
  })
  afterEach(() => open.close())

  /** Takes away what the migrations of the log have made, so that the next start applies them again. */
  async function forgetLog(): Promise<void> {
    const hand = await openBreakableDatabase(open)
    for (const table of TABLES) await hand.run(`drop table ${table}`)
    const ofLog = listMigrations(engine).filter(({ sql, isRepeatable }) => !isRepeatable && sql.includes('ledger_log'))
    expect(ofLog.length).toBeGreaterThan(0)
    for (const { name } of ofLog) await hand.run(`delete from schema_migration where name = '${name}'`)
    await hand.close()
  }

  test('has its rows taken into the log at the first start, beside what is booked from then on', async () => {
    const { database } = open
    const [caller, other] = [await seedCaller(database), await seedCaller(database)]
    const before = openTestLog(database, { signers: [] })
    for (let at = 0; at < GRANTS; at++) {
      const { accountId } = at % 3 === 0 ? other : caller
      await before.ledger.submit(
        grant(accountId, 1_000n + BigInt(at), { now: TEST_NOW + at, transferId: `grant-${at}` }),
      )
    }
    for (const holdId of ['charged', 'free', 'lost']) {
      await before.ledger.submit(placeHold(caller, { holdId, fixed: 500n, now: TEST_NOW + GRANTS }))
    }
    await before.ledger.submit(capture('charged', 400n, { now: TEST_NOW + GRANTS + 1 }))
    await before.ledger.submit(release('free', { now: TEST_NOW + GRANTS + 2 }))
    await before.ledger.submit(release('lost', { cost: 60n as never, lost: 60n as never, now: TEST_NOW + GRANTS + 3 }))
    await before.ledger.close()
    await forgetLog()

    const upgraded = await open.openAgain()
    const queue = await upgraded.read.selectFrom('ledger_log_pending').select('entries').execute()
    expect(queue.map(({ entries }) => (JSON.parse(entries) as string[]).length)).toEqual([256, 256, GRANTS + 3 - 512])

    const signers = testSigners()
    const { log, ledger, store, missing, refusals } = openTestLog(upgraded, { signers })
    await ledger.submit(grant(caller.accountId, 7n, { transferId: 'afterwards', now: TEST_NOW + GRANTS + 4 }))
    await log.tick()
    expect([missing, refusals, await store.countPending()]).toEqual([[], [], 0])
    expect(await log.published()).toMatchObject({ size: GRANTS + 4 })
    const batches = await upgraded.read
      .selectFrom('ledger_log_batch')
      .select('entries')
      .orderBy('first_index')
      .execute()
    const entries = batches.flatMap((batch) =>
      batch.entries.split('\n').map((line) => JSON.parse(line.split(' ')[0]!) as string),
    )
    expect(entries).toEqual([
      ...Array.from({ length: GRANTS }, (_value, at) => `tgrant-${at}`),
      ...['rcharged', 'rfree', 'rlost', 'tafterwards'],
    ])
    const report = await runAudit(upgraded, undefined, [logInvariant({ signers, checkpoints: [] })])
    expect(report.rows.find(({ name }) => name === 'ledger log')).toMatchObject({
      breaches: 0,
      figures: { leaves: GRANTS + 4, waiting: 0 },
    })
    // A second start repeats nothing.
    const again = await open.openAgain()
    expect(await again.read.selectFrom('ledger_log_pending').select('entries').execute()).toEqual([])
  })
})
