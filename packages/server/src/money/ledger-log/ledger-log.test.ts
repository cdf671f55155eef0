import { afterEach, beforeEach, expect, test } from 'vitest'
import { parseCheckpoint } from '@svc/contract/log/checkpoint'
import { canonicalJson } from '@svc/contract/log/canonical-json'
import { capture, DELIVERED, FAILED, grant, placeHold, release, TEST_NOW } from '../../../testing/ledger-operations.ts'
import { openBreakableDatabase } from '../../../testing/breakable-database.ts'
import { seedCaller, type SeededCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { checkpointFile, LOG_NAME, openTestLog, testSigners } from '../../../testing/test-log.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { entryText, sha256 } from './entry-facts.ts'
import { factsOfRows, findEntryRows, recordOfRow } from './entry-rows-store.ts'
import { leafHashOf } from './extend-log.ts'

/** Characters that JSON writes in several ways. */
const ODD = 'a"b\\c\u0001\u001f\u007f\b\f\n\r\té€\u2028😀/<'

describeEachEngine('the ledger log', (engine) => {
  let test_: TestDatabase
  let caller: SeededCaller
  const signers = testSigners()
  beforeEach(async () => {
    test_ = await openTestDatabase(engine)
    caller = await seedCaller(test_.database)
  })
  afterEach(() => test_.close())

  /** One of each kind, and one that expired and was charged after all. */
  async function bookAll(ledger: Ledger): Promise<void> {
    const { accountId } = caller
    await ledger.submit(grant(accountId, 5_000_000n, { reason: ODD }))
    await ledger.submit(grant(accountId, -1_000n, { source: 'adjustment' }))
    const holds = Array.from({ length: 5 }, () => placeHold(caller, { fixed: 2_000n, model: ODD }))
    await Promise.all(holds.map((hold) => ledger.submit(hold)))
    const [charged, free, lost, expired, over] = holds.map(({ holdId }) => holdId)
    const facts = {
      ...DELIVERED,
      upstreamModel: ODD,
      generationId: ODD,
      cachedTokens: 3,
      latencyMs: null,
      estimated: true,
    }
    await Promise.all([
      ledger.submit(capture(charged!, 1_200n, { facts })),
      ledger.submit(release(free!, { facts: { ...FAILED, errorCode: ODD } })),
      ledger.submit(release(lost!, { cost: 600n as never, lost: 600n as never })),
      ledger.submit(release(expired!, { end: 'expired', now: TEST_NOW + 5 })),
      ledger.submit(capture(over!, 9_000_000n)),
    ])
    await ledger.submit(capture(expired!, 700n, { now: TEST_NOW + 9 }))
  }

  const leaves = async () =>
    (await test_.database.read.selectFrom('ledger_log_batch').selectAll().orderBy('first_index').execute()).flatMap(
      ({ entries, salts }) =>
        entries.split('\n').map((line, at) => ({ line, salts: salts.subarray(32 * at, 32 * (at + 1)) })),
    )

  test.each([
    ['from memory', false],
    ['from the database', true],
  ])('puts down everything that was booked, once, %s', async (_from, forgets) => {
    const { ledger, log, store, missing } = openTestLog(test_.database, { signers, forgets })
    await bookAll(ledger)
    await log.tick()
    await log.tick()
    const published = await log.published()
    const found = await leaves()
    expect(found).toHaveLength(8)
    expect(missing).toEqual([])
    expect(published).toMatchObject({ origin: LOG_NAME, size: 8 })
    expect(parseCheckpoint(published!.note.split('\n\n')[0] + '\n')).toMatchObject({ size: 8 })
    const { posted } = await test_.database.read.selectFrom('balance').select('posted').executeTakeFirstOrThrow()
    expect(found.at(-1)!.line.split(' ').slice(1)).toEqual(['8', posted.toString()])

    // Each leaf is what its rows say, whoever has made it.
    const entries = found.map(({ line }) => JSON.parse(line.split(' ')[0]!) as string)
    const rows = await findEntryRows(test_.database.read, entries)
    const tile = await store.readTile({ level: 0, index: 0, width: 8 })
    for (const [at, { line, salts }] of found.entries()) {
      const [, number, balance] = line.split(' ')
      const facts = factsOfRows(entries[at]!, rows[at]!, salts)
      const text = entryText(facts, { number: Number(number), posted: BigInt(balance!) })
      expect(canonicalJson(JSON.parse(text))).toBe(text)
      expect(leafHashOf(facts, { number: Number(number), posted: BigInt(balance!) }).toString('hex')).toBe(
        Buffer.from(tile!.subarray(32 * at, 32 * (at + 1))).toString('hex'),
      )
      const { record } = rows[at]!
      if (record !== null) {
        const own = recordOfRow(record)
        expect(JSON.stringify(own)).toBe(canonicalJson({ ...own }))
        expect(facts.recordDigest).toBe(sha256(Buffer.from(canonicalJson({ ...own }))).toString('hex'))
      }
    }
    expect(entries.map((entry) => entry[0]).join('')).toBe('ttrrrrrR')
  })

  test('goes on where another process has stopped, with its keys and with its checkpoint', async () => {
    const file = checkpointFile()
    const first = openTestLog(test_.database, { signers, file })
    await bookAll(first.ledger)
    await first.log.close()
    const second = openTestLog(test_.database, { signers, file, forgets: true })
    await second.ledger.submit(grant(caller.accountId, 7n))
    await second.log.tick()
    expect(await second.log.published()).toMatchObject({ size: 9 })
    expect(second.refusals).toEqual([])
  })

  test('a database that was restored, or holds something else, is refused, and the log stays as it was', async () => {
    const file = checkpointFile()
    const before = openTestLog(test_.database, { signers, file })
    await bookAll(before.ledger)
    await before.log.close()
    const published = file.note

    const restored = await openTestDatabase(engine)
    try {
      const again = await seedCaller(restored.database)
      const { ledger, log, store, refusals } = openTestLog(restored.database, { signers, file })
      await ledger.submit(grant(again.accountId, 3n))
      await log.tick()
      expect(refusals).toEqual(['shorter'])
      expect([await store.readLog(), await store.countPending()]).toMatchObject([{ size: 0, signedSize: 0 }, 1])
      expect(await log.published()).toBeNull()
      expect(file.note).toBe(published)

      // A process that has given nothing out has heard of it.
      const other = openTestLog(restored.database, { signers, now: () => Date.now() + 60_000 })
      await other.log.tick()
      expect(other.refusals).toEqual(['shorter'])

      // The log has grown past what was published, by what a hand has put down.
      for (let n = 0; n < 9; n++) await ledger.submit(grant(again.accountId, 3n))
      const hand = await openBreakableDatabase(restored)
      await hand.run('update ledger_log set contradicted_by = null, holder = null')
      await hand.close()
      const careless = openTestLog(restored.database, { signers })
      await careless.log.close()
      expect(careless.log.figures).toMatchObject({ signedSize: 10 })
      await log.tick()
      expect(refusals).toEqual(['shorter', 'differs'])
      expect(await log.published()).toBeNull()
      expect(file.note).toBe(published)
    } finally {
      await restored.close()
    }
  })

  test('a key that is gone, of another log or unknown puts nothing down', async () => {
    const first = openTestLog(test_.database, { signers })
    await first.log.close()
    await first.ledger.submit(grant(caller.accountId, 7n))
    for (const [wrong, reason] of [
      [[], 'no_key'],
      [testSigners('other.test/api/log'), 'other_log'],
      [testSigners(), 'unknown_key'],
    ] as const) {
      const other = openTestLog(test_.database, { signers: wrong })
      await other.log.tick()
      expect(other.refusals).toEqual([reason])
      expect(await other.store.countPending()).toBe(1)
      // What others sign may be given out all the same.
      expect(await other.log.published()).toMatchObject({ size: 0 })
      await other.store.endLease('nobody')
    }
  })

  test('a second key beside the present one signs with it, and alone later', async () => {
    const file = checkpointFile()
    const [old] = signers
    const [next] = testSigners()
    const first = openTestLog(test_.database, { signers, file })
    await first.log.close()
    const both = openTestLog(test_.database, { signers: [next!, old!], file })
    await both.ledger.submit(grant(caller.accountId, 7n))
    await both.log.close()
    expect(file.note?.match(/^— /gm)).toHaveLength(2)
    const alone = openTestLog(test_.database, { signers: [next!], file })
    await alone.ledger.submit(grant(caller.accountId, 7n))
    await alone.log.tick()
    expect(alone.refusals).toEqual([])
    expect(await alone.log.published()).toMatchObject({ size: 2 })
    expect((await alone.log.keys()).map(({ keyId }) => keyId)).toEqual([next!.key.keyId, old!.key.keyId])
  })

  test('a row that is gone before it was put down is told, and does not hold up the others', async () => {
    const { ledger, log, missing } = openTestLog(test_.database, { signers, forgets: true })
    await ledger.submit(grant(caller.accountId, 7n, { transferId: 'gone' }))
    await ledger.submit(grant(caller.accountId, 8n))
    const hand = await openBreakableDatabase(test_)
    await hand.run(`delete from transfer where transfer_id = 'gone'`)
    await hand.close()
    await log.tick()
    expect(missing).toEqual([1])
    expect(await log.published()).toMatchObject({ size: 1 })
  })

  test('one process at a time has the lease', async () => {
    let now = TEST_NOW
    const [first, second] = [1, 2].map(() => openTestLog(test_.database, { signers, now: () => now }))
    await first!.log.tick()
    await first!.ledger.submit(grant(caller.accountId, 7n))
    await second!.log.tick()
    expect(second!.log.figures.size).toBe(0)
    now += 60_000
    await second!.log.tick()
    expect(second!.log.figures).toMatchObject({ size: 1, signedSize: 1 })
    await first!.log.tick()
    expect(await first!.log.published()).toMatchObject({ size: 1 })
  })
})
