import { afterAll, beforeAll, expect, test } from 'vitest'
import { createManualTimer } from '../../../testing/manual-timer.ts'
import { seedCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { createModelSpeedReader } from './read-timings.ts'
import { createRequestTimings, type RequestTimings, type TimedRequest } from './request-timings.ts'
import { createTimingStore, type TimingStore } from './timing-store.ts'

const DAY_MS = 86_400_000
const NOW = Date.UTC(2026, 4, 14, 12)

const request = (more: Partial<TimedRequest> = {}): TimedRequest => ({
  ...{ keyId: 'key', model: 'm', type: 'chat', startedAt: NOW, durationMs: 2_000, firstContentMs: 500 },
  facts: { status: 'ok', errorCode: null, completionTokens: 150 },
  ...more,
})
const failed = (errorCode: string) => request({ facts: { status: 'error', errorCode, completionTokens: null } })

describeEachEngine('timings of requests', (engine) => {
  let open: TestDatabase
  let store: TimingStore
  const errors: unknown[] = []
  const openTimings = (own: Pick<TimingStore, 'add' | 'tidy'> = store): RequestTimings =>
    createRequestTimings({
      store: own,
      timer: createManualTimer(),
      now: () => NOW,
      onError: (error) => errors.push(error),
    })
  beforeAll(async () => {
    open = await openTestDatabase(engine)
    store = createTimingStore(open.database)
  })
  afterAll(() => open.close())

  const speedsOf = async (model: string, now = NOW) =>
    (await createModelSpeedReader(store).read({ days: 3 }, now)).data.find((each) => each.model === model)

  test('of two processes are added up, and say how fast a model is and how often it answers', async () => {
    for (const timings of [openTimings(), openTimings()]) {
      for (let at = 0; at < 9; at++) timings.note(request({ durationMs: 2_000 + at }))
      timings.note(failed('upstream_error'))
      timings.note(failed('content_policy_violation'))
      timings.note(request({ startedAt: NOW - DAY_MS, firstContentMs: null }))
      timings.note(request({ facts: { status: 'cancelled', errorCode: null, completionTokens: 3 } }))
      await timings.stop()
    }
    const speeds = await speedsOf('m')
    expect(speeds).toMatchObject({ success_rate: 0.9091, days: [null, 1, 0.9] })
    expect(speeds?.first_content_ms).toBeCloseTo(500, -2)
    expect((speeds?.duration_ms ?? 0) / 2_000).toBeCloseTo(1, 0)
    expect((speeds?.tokens_per_second ?? 0) / 100).toBeCloseTo(1, 0)
  })

  test('of a few requests are not shown: they would say what one customer does', async () => {
    const timings = openTimings()
    for (let at = 0; at < 4; at++) timings.note(request({ model: 'rare' }))
    await timings.flush()
    expect(await speedsOf('rare')).toBeUndefined()
    timings.note(request({ model: 'rare' }))
    await timings.flush()
    expect(await speedsOf('rare')).toMatchObject({ success_rate: 1 })
  })

  test('that could not be written are written with the next, once', async () => {
    let isAway = true
    const timings = openTimings({
      tidy: () => Promise.resolve(),
      add: (cells) => (isAway ? Promise.reject(new Error('away')) : store.add(cells)),
    })
    for (let at = 0; at < 5; at++) timings.note(request({ model: 'late' }))
    await timings.flush()
    expect(errors).toHaveLength(1)
    isAway = false
    timings.note(request({ model: 'late' }))
    await timings.flush()
    await timings.flush()
    const [row] = await store
      .sumModels({ from: 0, to: NOW, step: NOW })
      .then((sums) => sums.filter(({ group, measure }) => group === 'late' && measure === 'ok'))
    expect(row?.requests).toBe(6)
  })

  test('of a key are removed after a quarter, those of all keys stay', async () => {
    const { keyId } = await seedCaller(open.database)
    const timings = openTimings()
    for (const startedAt of [NOW, NOW - 3_600_000]) timings.note(request({ keyId, model: 'kept', startedAt }))
    await timings.stop()
    const hours = async () => {
      const rows = open.database.read.selectFrom('request_timing').select(['key_id', 'hour']).distinct()
      return (await rows.where('model', '=', 'kept').orderBy('key_id').orderBy('hour').execute()).map((row) => [
        row.key_id,
        row.hour * 3_600_000 - NOW,
      ])
    }
    const ofAll = [
      ['', -3_600_000],
      ['', 0],
    ]
    expect(await hours()).toEqual([...ofAll, [keyId, -3_600_000], [keyId, 0]])
    await store.tidy(NOW + 95 * DAY_MS)
    expect(await hours()).toEqual([...ofAll, [keyId, 0]])
    await store.tidy(NOW + 96 * DAY_MS)
    expect(await hours()).toEqual(ofAll)
  })

  test('are written in one statement, however many keys asked', async () => {
    const written: number[] = []
    const counting = createTimingStore({
      ...open.database,
      write: (statements, condition) => {
        written.push(statements.length)
        return open.database.write(statements, condition)
      },
    })
    const timings = openTimings(counting)
    for (let at = 0; at < 90; at++) timings.note(request({ keyId: `key ${at}`, model: 'many' }))
    await timings.flush()
    expect(written).toEqual([1])
    const [row] = (await store.sumModels({ from: 0, to: NOW, step: NOW })).filter(({ group }) => group === 'many')
    expect(row?.requests).toBe(90)
  })

  test('of more keys than a statement has room for are all written', async () => {
    const timings = openTimings()
    const before = errors.length
    for (let time = 0; time < 2; time++) {
      for (let at = 0; at < 6_000; at++) timings.note(request({ keyId: `busy-${at}`, model: 'crowded' }))
      await timings.flush()
    }
    expect(errors).toHaveLength(before)
    const sums = await store.sumModels({ from: 0, to: NOW, step: NOW })
    const all = sums.find(({ group, measure }) => group === 'crowded' && measure === 'ok')
    expect(all?.requests).toBe(12_000)
    const row = await open.database.read
      .selectFrom('request_timing')
      .select(({ fn }) => [fn.countAll<number>().as('rows'), fn.sum<number>('requests').as('requests')])
      .where('model', '=', 'crowded')
      .where('measure', '=', 'ok')
      .where('key_id', '<>', '')
      .executeTakeFirst()
    expect([Number(row?.rows), Number(row?.requests)]).toEqual([6_000, 12_000])
    await open.database.write([
      open.database.read.deleteFrom('request_timing').where('model', '=', 'crowded').compile(),
    ])
  })

  test('are removed after their time, and not before', async () => {
    const rows = async () => (await store.sumModels({ from: 0, to: NOW, step: NOW })).length
    const before = await rows()
    await store.tidy(NOW + 399 * DAY_MS)
    expect(await rows()).toBe(before)
    await store.tidy(NOW + 402 * DAY_MS)
    expect(await rows()).toBe(0)
  })
})
