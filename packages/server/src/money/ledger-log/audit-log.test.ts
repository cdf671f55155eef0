/** Books that a hand has changed, and the log made to match: the audit names the row all the same. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openBreakableDatabase, type BreakableDatabase } from '../../../testing/breakable-database.ts'
import { capture, grant, placeHold, release } from '../../../testing/ledger-operations.ts'
import { rewriteLog, type StolenBatch } from '../../../testing/log-thief.ts'
import { seedCaller, type SeededCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { openTestLog, testSigners, type TestLog } from '../../../testing/test-log.ts'
import { runAudit } from '../ledger/audit.ts'
import { logInvariant } from './audit-log.ts'
import { formatVerifierKey } from '@svc/contract/log/signed-note'

const BOOKED = 24
const idOf = (at: number): string => `transfer-${String(at).padStart(2, '0')}`

/** Another grant like the seventh. */
const ADD = `insert into transfer select 'planted', account_id, kind, hold_id, funding, charge, write_off, cost, margin,
  reason, created_at from transfer where transfer_id = '${idOf(7)}'`

const swap = (batches: StolenBatch[]): void => {
  const [batch] = batches
  const { entries } = batch!
  ;[entries[5], entries[9]] = [entries[9]!, entries[5]!]
}

const plant = (batches: StolenBatch[]): void => {
  batches[0]!.entries.splice(6, 0, { entry: 'tplanted', salts: new Uint8Array(32) })
}

interface Theft {
  readonly what: string
  readonly table: string
  readonly sql: string | null
  readonly named: string
  /** What the thief does to the batches beside making them match. */
  readonly change?: (batches: StolenBatch[]) => void
}

const THEFTS: readonly Theft[] = [
  {
    what: 'one nanocredit more',
    table: 'transfer',
    sql: `update transfer set funding = funding + 1 where transfer_id = '${idOf(11)}'`,
    named: idOf(11),
  },
  {
    what: 'another reason',
    table: 'transfer',
    sql: `update transfer set reason = 'because' where transfer_id = '${idOf(3)}'`,
    named: idOf(3),
  },
  {
    what: 'another model of a record',
    table: 'usage_record',
    sql: `update usage_record set model = 'cheaper' where usage_id = 'charged'`,
    named: 'charged',
  },
  {
    what: 'another upstream, which only the operator sees',
    table: 'usage_record',
    sql: `update usage_record set upstream = 'other' where usage_id = 'free'`,
    named: 'free',
  },
  {
    what: 'a row less',
    table: 'transfer',
    sql: `delete from transfer where transfer_id = '${idOf(8)}'`,
    named: idOf(8),
    change: ([batch]) => {
      batch!.entries = batch!.entries.filter(({ entry }) => entry !== `t${idOf(8)}`)
    },
  },
  { what: 'a row more', table: 'transfer', sql: ADD, named: 'planted', change: plant },
  { what: 'two rows in each other’s place', table: 'transfer', sql: null, named: idOf(9), change: swap },
]

describeEachEngine('an audit of the ledger log', (engine) => {
  let open: TestDatabase
  let hand: BreakableDatabase
  let caller: SeededCaller
  let log: TestLog
  const signers = testSigners()
  beforeEach(async () => {
    open = await openTestDatabase(engine)
    caller = await seedCaller(open.database)
    log = openTestLog(open.database, { signers })
    const grants = Array.from({ length: BOOKED }, (_value, at) =>
      grant(caller.accountId, 10_000n + BigInt(at), { transferId: idOf(at) }),
    )
    await Promise.all(grants.map((each) => log.ledger.submit(each)))
    await log.log.tick()
    for (const holdId of ['charged', 'free']) await log.ledger.submit(placeHold(caller, { holdId, fixed: 500n }))
    await log.ledger.submit(capture('charged', 400n))
    await log.ledger.submit(release('free'))
    await log.log.tick()
    hand = await openBreakableDatabase(open)
  })
  afterEach(async () => {
    await hand.close()
    await open.close()
  })

  const breaches = async (checkpoints: readonly { name: string; note: string }[] = [], with_ = signers) => {
    const report = await runAudit(open.database, undefined, [logInvariant({ signers: with_, checkpoints })])
    return report.rows.find(({ name }) => name === 'ledger log')!
  }

  test('finds nothing in books that nobody has touched, nor in what is under way', async () => {
    const note = { name: 'a kept one', note: (await log.log.published())!.note }
    await log.ledger.submit(grant(caller.accountId, 5n))
    expect(await breaches([note])).toMatchObject({
      breaches: 0,
      figures: { leaves: BOOKED + 2, waiting: 1, checkpoints: 2 },
    })
    expect(await breaches([note], [])).toMatchObject({ breaches: 0, figures: { checkpoints: 2 } })
  })

  test.each(THEFTS.filter(({ sql }) => sql !== null))('$what is named', async ({ table, sql, named }) => {
    await hand.breakTable(table, sql ?? '')
    expect((await breaches()).examples[0]).toContain(named)
  })

  test.each(THEFTS)('$what is named, also where the log was made to match', async ({ table, sql, named, change }) => {
    const before = (await log.log.published())!
    if (sql !== null) await hand.breakTable(table, sql)
    await rewriteLog(open, hand, change)
    const found = await breaches()
    expect(found.examples.find((example) => example.includes('leaf') || example.includes('was'))).toContain(named)
    // Who has a checkpoint from before and no key sees that it is another log, and not where.
    const kept = await breaches([{ name: 'a kept one', note: before.note }], [])
    expect(kept.examples.join('\n')).toContain('a kept one')
  })

  test('a row that no entry names is named', async () => {
    await hand.breakTable('transfer', ADD)
    expect((await breaches()).examples).toEqual(['transfer planted is in no leaf and waits for none'])
  })

  test.each([
    ['a tile', 'ledger_log_tile', 'delete from ledger_log_tile'],
    ['a batch', 'ledger_log_batch', 'delete from ledger_log_batch where first_index > 0'],
    ['the size', 'ledger_log', 'update ledger_log set size = size + 1'],
    ['the salts', 'ledger_log_batch', 'update ledger_log_batch set salts = seal'],
    ['the checkpoint', 'ledger_log', `update ledger_log set checkpoint = replace(checkpoint, 'gateway', 'gatevay')`],
    ['the whole log', 'ledger_log_batch', 'delete from ledger_log_batch'],
  ])('%s that was changed or is gone is found', async (_what, table, sql) => {
    await hand.breakTable(table, sql)
    expect((await breaches()).breaches).toBeGreaterThan(0)
  })

  test('a key that a hand has added signs nothing that is believed', async () => {
    const [forger] = testSigners()
    const key = formatVerifierKey(forger!.key)
    await hand.run(`insert into ledger_log_key (verifier_key, since_size, added_at) values ('${key}', 0, 0)`)
    const text = (await log.log.published())!.note.split('\n\n')[0]!
    const { signNote } = await import('./log-key.ts')
    const forged = { name: 'a forged one', note: signNote([forger!], `${text}\n`) }
    expect((await breaches([forged])).examples).toContain('a forged one is signed by no key of the log')
  })
})
