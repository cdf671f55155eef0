/** A request that is charged late, and its repetition under the same Idempotency-Key: one of the two is charged. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { capture, placeHold, release, TEST_NOW } from '../../../testing/ledger-operations.ts'
import type { SeededCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine } from '../../../testing/test-database.ts'
import { assertSound, openTestLedger, type TestLedger } from '../../../testing/test-ledger.ts'
import type { SettleHold } from '../../money/ledger/operations.ts'
import { createIdempotency, type Idempotency } from './idempotency.ts'
import { createIdempotentRequestStore } from './idempotent-request-store.ts'
import { KeptSpace } from './kept-space.ts'

const CREDITS = 1_000_000n
const CHARGE = 300n
const ROUNDS = 30

/** What is left of a request in the database, after its process is gone. */
type Left = 'its hold, expired' | 'its name' | 'nothing'
const LEFT: readonly Left[] = ['its hold, expired', 'its name', 'nothing']

describeEachEngine('a request that is charged late', (engine) => {
  let money: TestLedger
  let caller: SeededCaller
  /** A machine that goes away with its file of settlements, and one that stays. */
  let gone: Idempotency
  let here: Idempotency
  beforeEach(async () => {
    money = await openTestLedger(engine)
    caller = await money.createCaller(CREDITS, { keyLimit: 5n * CREDITS, teamLimit: 5n * CREDITS })
    gone = idempotencyOf('gone')
    here = idempotencyOf('here')
  })
  afterEach(() => money.close())

  const recordOf = (requestId: string) =>
    money.test.database.read
      .selectFrom('usage_record')
      .select(['charge', 'write_off', 'status'])
      .where('usage_id', '=', requestId)
      .executeTakeFirst()

  const idempotencyOf = (processId: string): Idempotency =>
    createIdempotency({
      store: createIdempotentRequestStore(money.test.database),
      clock: { latest: () => TEST_NOW, earliest: () => TEST_NOW },
      processId,
      secrets: [{ version: 1, secret: 'a secret of this test' }],
      space: new KeptSpace({ now: () => TEST_NOW }),
      reportGone: () => 'it is gone',
      // As a gateway reads the books where the process that began a request is gone.
      outcomeOf: async ({ requestId }) => {
        const record = await recordOf(requestId)
        return record === undefined || (record.charge === 0n && record.status !== 'ok') ? 'free' : 'charged'
      },
    })

  const askedAs = (name: string, requestId: string) => ({
    ...{ accountId: caller.accountId, callerId: caller.keyId, requestId, endpoint: 'createChatCompletion', name },
    body: Buffer.from('{}'),
  })

  /** Works on a request on the machine that goes away. @returns the settlement that its file has. */
  async function leave(name: string, requestId: string, left: Left): Promise<SettleHold> {
    await gone.begin(askedAs(name, requestId))
    const placed = {
      ...{ accountId: caller.accountId, keyId: caller.keyId, processId: 'gone', type: 'chat', model: 'svc-test' },
      ...{ stream: false, placedAt: TEST_NOW, name: gone.nameOf(requestId) },
    }
    expect(placed.name).not.toBeNull()
    if (left === 'its hold, expired') {
      await money.ledger.submit(placeHold(caller, { holdId: requestId, fixed: 400n }))
      await money.ledger.submit(release(requestId, { end: 'expired' }))
    }
    const { database } = money.test
    const rows = database.read.deleteFrom('idempotent_request').where('request_id', '=', requestId)
    if (left === 'nothing') await database.write([rows.compile()])
    return capture(requestId, CHARGE, { placed, now: TEST_NOW + 1 })
  }

  /** Repeats a request here; where it is worked on, it is charged. @returns what became of it. */
  async function repeat(name: string, requestId: string): Promise<string> {
    try {
      const begun = await here.begin(askedAs(name, requestId))
      if (begun.kind !== 'run') return begun.kind
      await money.ledger.submit(placeHold(caller, { holdId: requestId, fixed: 400n }))
      await money.ledger.submit(capture(requestId, CHARGE))
      await begun.run.finish({ contentType: 'text/plain', headers: {}, body: 'hello' })
      return 'charged'
    } catch (error) {
      return (error as { readonly code: string }).code
    }
  }

  test.each(LEFT)('after its client had repeated it is a write-off whole (left: %s)', async (left) => {
    const settle = await leave('once', 'first', left)
    expect(await repeat('once', 'second')).toBe('charged')
    expect(await money.ledger.submit(settle)).toMatchObject({ kind: 'settled', charge: 0n, writeOff: CHARGE })
    expect(await money.ledger.submit(settle)).toEqual({ kind: 'already_settled', charge: 0n })
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: CREDITS - CHARGE, held: 0n })
    expect(await recordOf('first')).toEqual({ charge: 0n, write_off: CHARGE, status: 'ok' })
    expect(await repeat('once', 'third')).toBe('replay')
    await assertSound(money, TEST_NOW)
  })

  test.each(LEFT)('keeps its name: a repeated request reads that it was charged (left: %s)', async (left) => {
    const settle = await leave('once', 'first', left)
    expect(await money.ledger.submit(settle)).toMatchObject({ kind: 'settled', charge: CHARGE, writeOff: 0n })
    expect(await repeat('once', 'second')).toBe('idempotency_answer_gone')
    expect(await money.findBalance(caller.accountId)).toEqual({ posted: CREDITS - CHARGE, held: 0n })
    await assertSound(money, TEST_NOW)
  })

  test('while its client repeats it is charged, or the repetition is', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [name, first, second] = [`name-${round}`, `first-${round}`, `second-${round}`]
      const settle = await leave(name, first, LEFT[round % LEFT.length] as Left)
      const [settled, repeated] = await Promise.all([money.ledger.submit(settle), repeat(name, second)])
      const isRepeated = repeated === 'charged'
      expect([repeated, settled]).toMatchObject(
        isRepeated
          ? ['charged', { charge: 0n, writeOff: CHARGE }]
          : ['idempotency_answer_gone', { charge: CHARGE, writeOff: 0n }],
      )
    }
    const { posted } = await money.findBalance(caller.accountId)
    expect(posted).toBe(CREDITS - CHARGE * BigInt(ROUNDS))
    await assertSound(money, TEST_NOW)
  })

  test('as a failure gives its name to no one', async () => {
    const settle = await leave('once', 'first', 'its name')
    const { placed } = settle
    await money.ledger.submit(release('first', { placed, cost: settle.cost, lost: settle.cost }))
    expect(await repeat('once', 'second')).toBe('charged')
    await assertSound(money, TEST_NOW)
  })
})
