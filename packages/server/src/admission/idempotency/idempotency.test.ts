import { afterEach, beforeEach, expect, test } from 'vitest'
import { seedCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase } from '../../../testing/test-database.ts'
import {
  type BegunCall,
  createIdempotency,
  type Idempotency,
  type IdempotentCall,
  KEPT_LENGTH_MAX,
  parseIdempotencyKey,
  type RequestOutcome,
} from './idempotency.ts'
import { createIdempotentRequestStore } from './idempotent-request-store.ts'
import { DatabaseUnavailableError } from '../../platform/errors/database-unavailable-error.ts'
import { KeptSpace } from './kept-space.ts'
import type { KeptAnswer } from './sealed-answer.ts'

const ANSWER: KeptAnswer = { contentType: 'application/json', headers: { 'x-a': '1' }, body: '{"text":"canary"}' }
const DAY_MS = 86_400_000

describeEachEngine('requests with an Idempotency-Key', (engine) => {
  let test_: Awaited<ReturnType<typeof openTestDatabase>>
  let now = 1_000_000
  let outcome: RequestOutcome = 'open'
  let unreachable: Error | null = null
  let callerId = ''
  let space: KeptSpace
  let asked = 0
  const secrets = [{ version: 1, secret: 'first pepper' }] as const

  beforeEach(async () => {
    test_ = await openTestDatabase(engine)
    callerId = (await seedCaller(test_.database)).keyId
    now = 1_000_000
    outcome = 'open'
    space = new KeptSpace({ now: () => now })
    unreachable = null
    asked = 0
  })
  afterEach(() => test_.close())

  const open = (
    processId: string,
    known: Parameters<typeof createIdempotency>[0]['secrets'] = secrets,
    store = createIdempotentRequestStore(test_.database),
  ): Idempotency =>
    createIdempotency({
      store,
      clock: { latest: () => now, earliest: () => now },
      processId,
      secrets: known,
      space,
      reportGone: (requestId) => `gone: ${requestId}`,
      outcomeOf: () => {
        asked++
        return unreachable === null ? Promise.resolve(outcome) : Promise.reject(unreachable)
      },
    })
  let requests = 0
  const call = (parts: Partial<IdempotentCall> = {}): IdempotentCall => ({
    ...{
      accountId: 'account',
      callerId,
      requestId: `request-${++requests}`,
      endpoint: 'createChatCompletion',
      name: 'name-1',
    },
    body: Buffer.from('{"a":1}'),
    ...parts,
  })
  const codeOf = (work: Promise<unknown>) => work.then(() => null).catch((error: { code: string }) => error.code)
  const runOf = (begun: BegunCall) => {
    if (begun.kind !== 'run') throw new Error('this was answered before')
    return begun.run
  }

  test('beyond the room of their account are charged once and cannot be given again', async () => {
    space = new KeptSpace({ now: () => now }, ANSWER.body.length)
    const here = open('p1')
    const [first, second] = [call({ name: 'one' }), call({ name: 'two' })]
    for (const each of [first, second]) await runOf(await here.begin(each)).finish(ANSWER)
    expect((await here.begin({ ...first, requestId: 'again' })).kind).toBe('replay')
    expect(await codeOf(here.begin({ ...second, requestId: 'again' }))).toBe('idempotency_answer_gone')
    const other = call({ name: 'two', accountId: 'another', callerId: 'another key' })
    await runOf(await here.begin(other)).finish(ANSWER)
    expect((await here.begin({ ...other, requestId: 'again' })).kind).toBe('replay')
  })

  test('are answered once: the same answer and the same request id come again, also from another process', async () => {
    const here = open('p1')
    const first = call()
    await runOf(await here.begin(first)).finish(ANSWER)
    for (const idempotency of [here, open('p2')]) {
      const again = await idempotency.begin(call())
      expect(again).toEqual({ kind: 'replay', requestId: first.requestId, answer: ANSWER })
    }
    expect(asked).toBe(0)
  })

  test('are in use while they run, and free again when they fail', async () => {
    const [here, there] = [open('p1'), open('p2')]
    const run = runOf(await here.begin(call()))
    expect(await codeOf(here.begin(call()))).toBe('idempotency_key_in_use')
    expect(await codeOf(there.begin(call()))).toBe('idempotency_key_in_use')
    // This process knows what it works on; the books are asked about the others.
    expect(asked).toBe(1)
    outcome = 'free'
    await run.release()
    expect((await there.begin(call())).kind).toBe('run')
  })

  test('give their answer to who read their row just before they ended', async () => {
    outcome = 'charged'
    const store = createIdempotentRequestStore(test_.database)
    const first = call()
    const read = Promise.withResolvers<null>()
    const ended = Promise.withResolvers<null>()
    let reads = 0
    const here = open('p1', secrets, {
      ...store,
      find: async (name) => {
        const row = await store.find(name)
        if (++reads > 1) return row
        read.resolve(null)
        await ended.promise
        return row
      },
    })
    const run = runOf(await here.begin(first))
    const second = here.begin(call())
    await read.promise
    await run.finish(ANSWER)
    ended.resolve(null)
    expect(await second).toEqual({ kind: 'replay', requestId: first.requestId, answer: ANSWER })
  })

  test('that failed before their process knew whether they were written may be asked again elsewhere', async () => {
    // The books of a process that lives may learn of any request that it has begun.
    outcome = 'open'
    const store = createIdempotentRequestStore(test_.database)
    const away = new DatabaseUnavailableError('away', new Error('the answer was lost'))
    const here = open('p1', secrets, {
      ...store,
      insert: async (row) => {
        await store.insert(row)
        throw away
      },
    })
    await expect(here.begin(call())).rejects.toBe(away)
    await expect
      .poll(() =>
        open('p2')
          .begin(call())
          .then(({ kind }) => kind, String),
      )
      .toBe('run')
  })

  test.each(['release', 'finishFailed'] as const)(
    'that ended by %s while the database was away are noted once it is back',
    async (way) => {
      const here = open('p1')
      const run = runOf(await here.begin(call()))
      unreachable = new DatabaseUnavailableError('away', new Error('nobody answers'))
      const ended = way === 'release' ? run.release() : run.finishFailed(ANSWER)
      expect(await codeOf(here.begin(call()))).toBe('idempotency_key_in_use')
      unreachable = null
      outcome = way === 'release' ? 'free' : 'charged'
      await ended
      outcome = 'open'
      const again = await open('p2').begin(call())
      expect(again.kind).toBe(way === 'release' ? 'run' : 'replay')
    },
  )

  test.each([
    ['new', false],
    ['taken over from a process that is gone', true],
  ])(
    'are in use as soon as their row can be read (%s), before their process knows that it is written',
    async (_, left) => {
      // The books know nothing of a request that has just begun.
      outcome = 'free'
      if (left) await open('gone').begin(call())
      const store = createIdempotentRequestStore(test_.database)
      const written = Promise.withResolvers<null>()
      const answered = Promise.withResolvers<null>()
      /** The database has written, and its word is still on the way. */
      const late = async (isDone: boolean): Promise<boolean> => {
        if (!isDone) return false
        written.resolve(null)
        await answered.promise
        return true
      }
      const here = open('p1', secrets, {
        ...store,
        insert: async (row) => late(await store.insert(row)),
        replace: async (row, earlier) => late(await store.replace(row, earlier)),
      })
      const first = here.begin(call())
      await written.promise
      expect(await codeOf(here.begin(call()))).toBe('idempotency_key_in_use')
      answered.resolve(null)
      expect((await first).kind).toBe('run')
      expect(await codeOf(here.begin(call()))).toBe('idempotency_key_in_use')
    },
  )

  test('of a hundred at once over three processes one is worked on', async () => {
    const processes = [open('p1'), open('p2'), open('p3')]
    const begun = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        processes[index % 3]!.begin(call())
          .then(({ kind }) => kind)
          .catch((error: { code: string }) => error.code),
      ),
    )
    expect(begun.filter((kind) => kind === 'run')).toHaveLength(1)
    expect(begun.filter((kind) => kind === 'idempotency_key_in_use')).toHaveLength(99)
  })

  test('must be the same: another body is refused, another endpoint or key is another request', async () => {
    const here = open('p1')
    await runOf(await here.begin(call())).finish(ANSWER)
    expect(await codeOf(here.begin(call({ body: Buffer.from('{"a":2}') })))).toBe('idempotency_key_reused')
    expect((await here.begin(call({ endpoint: 'createImage' }))).kind).toBe('run')
    const other = await seedCaller(test_.database)
    expect((await here.begin(call({ callerId: other.keyId }))).kind).toBe('run')
    expect((await here.begin(call({ name: 'name-2' }))).kind).toBe('run')
  })

  test('of a process that died are worked on anew where they were free, by one of many', async () => {
    await open('p1').begin(call())
    outcome = 'free'
    const begun = await Promise.allSettled(Array.from({ length: 20 }, (_, index) => open(`n${index}`).begin(call())))
    // The one that took it over answers for it from then on, in its own process; to the others it looks free again.
    expect(begun.some((result) => result.status === 'fulfilled' && result.value.kind === 'run')).toBe(true)
  })

  test('of a process that died are never worked on again where they were charged', async () => {
    const first = call()
    await open('p1').begin(first)
    outcome = 'charged'
    const failure = await open('p2')
      .begin(call())
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'idempotency_answer_gone',
      shouldRetry: false,
      details: { request_id: first.requestId },
    })
  })

  test('that failed in the middle are kept with what was charged, and forgotten where nothing was', async () => {
    const here = open('p1')
    outcome = 'charged'
    await runOf(await here.begin(call())).finishFailed(ANSWER)
    expect((await here.begin(call())).kind).toBe('replay')
    outcome = 'free'
    await runOf(await here.begin(call({ name: 'name-2' }))).finishFailed(ANSWER)
    expect((await here.begin(call({ name: 'name-2' }))).kind).toBe('run')
  })

  test.each(['release', 'finishFailed'] as const)(
    'whose settlement is written later stay taken after %s, and are charged once',
    async (way) => {
      const here = open('p1')
      const run = runOf(await here.begin(call()))
      await (way === 'release' ? run.release() : run.finishFailed(ANSWER))
      expect(await codeOf(here.begin(call()))).toBe('idempotency_key_in_use')
      outcome = 'charged'
      expect(await codeOf(here.begin(call()))).toBe('idempotency_answer_gone')
    },
  )

  test('of which the books could not be asked may be asked again once they can', async () => {
    const here = open('p1')
    const run = runOf(await here.begin(call()))
    unreachable = new Error('the database is away')
    await expect(run.finishFailed(ANSWER)).rejects.toBe(unreachable)
    unreachable = null
    outcome = 'free'
    expect((await here.begin(call())).kind).toBe('run')
  })

  test('whose answer is too long or not whole are reported as gone, and not worked on again', async () => {
    const here = open('p1')
    await runOf(await here.begin(call())).finish({ ...ANSWER, body: 'x'.repeat(KEPT_LENGTH_MAX + 1) })
    await runOf(await here.begin(call({ name: 'name-2' }))).finish(null)
    expect(await codeOf(here.begin(call()))).toBe('idempotency_answer_gone')
    expect(await codeOf(here.begin(call({ name: 'name-2' })))).toBe('idempotency_answer_gone')
  })

  test('are forgotten after a day', async () => {
    const here = open('p1')
    await runOf(await here.begin(call())).finish(ANSWER)
    now += DAY_MS - 1
    expect((await here.begin(call())).kind).toBe('replay')
    now += 1
    await runOf(await here.begin(call({ body: Buffer.from('other') }))).finish(ANSWER)
    now += DAY_MS
    await here.removeExpired()
    const rows = await test_.database.read.selectFrom('idempotent_request').selectAll().execute()
    expect(rows).toEqual([])
  })

  test('leave neither their name nor their answer readable, and need the pepper to be read', async () => {
    await runOf(await open('p1').begin(call())).finish(ANSWER)
    const rows = await test_.database.read.selectFrom('idempotent_request').selectAll().execute()
    expect(JSON.stringify(rows)).not.toMatch(/canary|name-1/)
    const [next, old] = [{ version: 2, secret: 'second pepper' }, secrets[0]]
    expect((await open('p2', [next, old]).begin(call())).kind).toBe('replay')
    expect(await codeOf(open('p3', [next]).begin(call()))).toBe('idempotency_answer_gone')
    expect(await codeOf(open('p4', [{ version: 1, secret: 'wrong' }]).begin(call()))).toBe('idempotency_answer_gone')
  })
})

test.each(['', 'a b', 'ü', 'x'.repeat(256), ['a', 'b']])('%j is no name', (header) => {
  expect(() => parseIdempotencyKey(header)).toThrow(/Idempotency-Key/)
})

test.each(['a', '8e03978e-40d5-43e8-bc93-6894a57f9324', 'x'.repeat(255)])('%j is a name', (header) => {
  expect(parseIdempotencyKey(header)).toBe(header)
  expect(parseIdempotencyKey(undefined)).toBeNull()
})
