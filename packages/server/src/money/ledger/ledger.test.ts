import { describe, expect, test } from 'vitest'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { capture, grant } from '../../../testing/ledger-operations.ts'
import type { LedgerEngine } from './ledger-engine.ts'
import { Ledger } from './ledger.ts'
import type { LedgerOperation, LedgerResult } from './operations.ts'
import { nanocreditsOf } from '@svc/contract'

interface ScriptedEngine extends LedgerEngine {
  readonly batches: (readonly LedgerOperation[])[]
}

/** An engine that does what the test says, batch by batch, and credits everything after that. */
function scriptedEngine(...script: ((operations: readonly LedgerOperation[]) => Promise<readonly LedgerResult[]>)[]) {
  const batches: (readonly LedgerOperation[])[] = []
  const engine: ScriptedEngine = {
    batches,
    apply(operations) {
      batches.push(operations)
      return script[batches.length - 1]?.(operations) ?? Promise.resolve(operations.map(creditedFor))
    },
  }
  return engine
}

/** Answers with the operation's own time, so that a caller can tell whose result it got. */
function creditedFor(operation: LedgerOperation): LedgerResult {
  return { kind: 'credited', posted: nanocreditsOf(BigInt(operation.now)) }
}

const credit = (now: number) => grant('account', 1n, { now })
const lost = (): Promise<never> => Promise.reject(new Error('connection lost'))

describe('group commit', () => {
  test('gathers what arrives while a commit is in flight, and gives each caller its own result', async () => {
    const first = Promise.withResolvers<readonly LedgerResult[]>()
    const engine = scriptedEngine(() => first.promise)
    const ledger = new Ledger({ engine })
    const answers = [ledger.submit(credit(0))]
    await expect.poll(() => engine.batches.length).toBe(1)
    for (let now = 1; now <= 5; now++) answers.push(ledger.submit(credit(now)))
    first.resolve([creditedFor(credit(0))])
    expect((await Promise.all(answers)).map((answer) => 'posted' in answer && answer.posted)).toEqual([
      0n,
      1n,
      2n,
      3n,
      4n,
      5n,
    ])
    expect(engine.batches.map((batch) => batch.length)).toEqual([1, 5])
    expect(ledger.counters).toMatchObject({ batches: 2, operations: 6, retries: 0, waiting: 0 })
  })

  test('hands an engine that takes several batches the next one while others are on their way', async () => {
    const ends = [1, 2].map(() => Promise.withResolvers<readonly LedgerResult[]>())
    const engine = {
      ...scriptedEngine(
        ...ends.map(
          ({ promise }) =>
            () =>
              promise,
        ),
      ),
      batchesAtOnce: 2,
    }
    const ledger = new Ledger({ engine })
    const answers = [ledger.submit(credit(1))]
    await expect.poll(() => engine.batches.length).toBe(1)
    answers.push(ledger.submit(credit(2)))
    await expect.poll(() => engine.batches.length).toBe(2)
    // No more than it takes: these two wait, and share a commit.
    answers.push(ledger.submit(credit(3)), ledger.submit(credit(4)))
    expect(ledger.counters.waiting).toBe(4)
    ends[1]?.resolve([creditedFor(credit(2))])
    expect(await answers[1]).toMatchObject({ posted: 2n })
    await Promise.all(answers.slice(2))
    expect(engine.batches.map((batch) => batch.length)).toEqual([1, 1, 2])
    let isDrained = false
    const drained = ledger.drain().then(() => (isDrained = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isDrained).toBe(false)
    ends[0]?.resolve([creditedFor(credit(1))])
    await drained
    expect(await answers[0]).toMatchObject({ posted: 1n })
    expect(ledger.counters.waiting).toBe(0)
  })

  test('a patient operation shares the commit of the next urgent one, where there are many', async () => {
    const engine = scriptedEngine()
    const ledger = new Ledger({ engine })
    for (let now = 1; now <= 100; now++) await ledger.submit(credit(now))
    const patient = ledger.submit(credit(101), 'soon')
    const urgent = ledger.submit(credit(102))
    expect(await Promise.all([patient, urgent])).toHaveLength(2)
    expect(engine.batches.at(-1)).toHaveLength(2)
    // It needs no reader, neither among many nor when the ledger is closed.
    expect(await ledger.submit(credit(103), 'soon')).toMatchObject({ kind: 'credited' })
    const last = ledger.submit(credit(104), 'soon')
    await ledger.close()
    expect(await last).toMatchObject({ kind: 'credited' })
  })

  test('after large batches the next one waits for company', async () => {
    const engine = scriptedEngine()
    // Longer than a machine that runs many tests stands still.
    const ledger = new Ledger({ engine, gatherMs: 500 })
    await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((now) => ledger.submit(credit(now))))
    const first = ledger.submit(credit(9))
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    const second = ledger.submit(credit(10))
    await Promise.all([first, second])
    expect(engine.batches.map((batch) => batch.length)).toEqual([8, 2])
  })

  test('never makes a batch larger than its limit', async () => {
    const engine = scriptedEngine()
    const ledger = new Ledger({ engine, batchMax: 3 })
    await Promise.all([1, 2, 3, 4, 5, 6, 7].map((now) => ledger.submit(credit(now))))
    expect(engine.batches.map((batch) => batch.length)).toEqual([3, 3, 1])
  })

  test('refuses callers beyond the queue’s limit with a 503', async () => {
    const ledger = new Ledger({ engine: scriptedEngine(), queueMax: 2 })
    const answers = await Promise.allSettled([1, 2, 3].map((now) => ledger.submit(credit(now))))
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
    expect(answers[2]).toMatchObject({ reason: { code: 'server_is_overloaded', status: 503 } })
  })

  test('sends a batch with an unknown outcome again', async () => {
    const engine = scriptedEngine(lost, lost)
    const ledger = new Ledger({ engine, retryWaitsMs: [0, 0] })
    expect(await ledger.submit(credit(7))).toEqual({ kind: 'credited', posted: 7n })
    expect(engine.batches).toHaveLength(3)
    expect(engine.batches[2]).toEqual(engine.batches[0])
    expect(ledger.counters.retries).toBe(2)
  })

  test('gives up after a limit, and works again afterwards', async () => {
    const ledger = new Ledger({ engine: scriptedEngine(lost, lost), retryWaitsMs: [0] })
    await expect(ledger.submit(credit(1))).rejects.toBeInstanceOf(ServiceError)
    expect(ledger.counters.failuresInARow).toBe(1)
    expect(await ledger.submit(credit(2))).toEqual({ kind: 'credited', posted: 2n })
    expect(ledger.counters.failuresInARow).toBe(0)
  })

  test.each(['23514', '22003', 'P0001'])('an operation refused with %s harms no other of its batch', async (code) => {
    const refused = (): Promise<never> => Promise.reject(Object.assign(new Error('refused'), { code }))
    const broken = async (operations: readonly LedgerOperation[]) =>
      operations.some((operation) => operation.now === 2) ? refused() : operations.map(creditedFor)
    const engine = scriptedEngine(broken, broken, broken, broken)
    const ledger = new Ledger({ engine })
    const answers = await Promise.allSettled([1, 2, 3].map((now) => ledger.submit(credit(now))))
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(answers[1]).toMatchObject({ reason: expect.any(InvariantError) })
    expect(engine.batches).toHaveLength(4)
  })

  test('closing waits for what was submitted and takes nothing more', async () => {
    const ledger = new Ledger({ engine: scriptedEngine() })
    const answer = ledger.submit(credit(1))
    await ledger.close()
    expect(await answer).toEqual({ kind: 'credited', posted: 1n })
    await expect(ledger.submit(credit(2))).rejects.toMatchObject({ code: 'server_is_overloaded' })
  })
})

describe('the door', () => {
  const ledger = new Ledger({ engine: scriptedEngine() })

  test.each([
    ['an amount beyond a million USD', grant('account', 10n ** 18n + 1n)],
    ['an empty grant', grant('account', 0n)],
    ['a grant that takes', grant('account', -5n)],
    ['an empty id', capture('', 1n)],
  ])('refuses %s', async (_, operation) => {
    await expect(ledger.submit<LedgerOperation>(operation)).rejects.toBeInstanceOf(InvariantError)
  })
})
