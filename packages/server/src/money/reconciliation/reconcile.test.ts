/** Reconciliations on both engines: real records, an upstream that is a server with a script, runs that are kept. */
import { createServer, type ServerResponse } from 'node:http'
import { nanocreditsOf } from '@svc/contract'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { capture, DELIVERED, grant, placeHold } from '../../../testing/ledger-operations.ts'
import { listenOnLoopback, type LoopbackServer } from '../../../testing/loopback-server.ts'
import { type SeededCaller, seedCaller } from '../../../testing/seed-caller.ts'
import { describeEachEngine, openTestDatabase, type TestDatabase } from '../../../testing/test-database.ts'
import { DIRECT } from '../../platform/outbound/open-dispatcher.ts'
import { createId } from '../../platform/runtime/ids.ts'
import { formatUsd, usdOfNanocredits } from '../../pricing/usd.ts'
import { openOpenRouterFigures } from '../../upstreams/openrouter/openrouter-figures.ts'
import { createAttemptLog } from '../billing/attempt-log.ts'
import { createAttemptStore } from '../billing/attempt-store.ts'
import { createLedgerEngine } from '../ledger/create-ledger-engine.ts'
import { Ledger } from '../ledger/ledger.ts'
import { readInvoice } from './read-invoice.ts'
import { glanceAtReconciliations, reconcileDue } from './due-reconciliations.ts'
import { reconcile, type ReconciliationDeps } from './reconciliation-runs.ts'
import { archiveRequests } from '../archive/archive-requests.ts'
import { createArchiveStore } from '../ledger/archive-store.ts'
import { createReconciliationStore } from './reconciliation-store.ts'
import type { ReconciliationReport } from './report.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MODEL = 'openai/gpt-6'

/** One generation as the scripted upstream has billed it. */
interface Billed {
  readonly cost: bigint
  readonly at: number
}

/** What the upstream says; whoever tests changes it. */
const upstream = {
  generations: new Map<string, Billed>(),
  /** Answers in place of the script, in their order. */
  refusals: [] as ((response: ServerResponse) => void)[],
  keys: new Set<string | undefined>(),
}

const usd = (cost: bigint): string => formatUsd(usdOfNanocredits(cost))

function activityOf(day: string): string {
  const rows = [...upstream.generations.values()].filter(({ at }) => new Date(at).toISOString().startsWith(day))
  const sum = rows.reduce((total, { cost }) => total + cost, 0n)
  const other = `{"date":"2020-01-01","model":"other","requests":1,"usage":9}`
  if (rows.length === 0) return `{"data":[${other}]}`
  const row = `{"date":"${day}","model":"${MODEL}","model_permaslug":"${MODEL}-2026","requests":${rows.length},"usage":${usd(sum)},"byok_usage_inference":0}`
  return `{"data":[${other},${row}]}`
}

function generationOf(id: string): string | null {
  const found = upstream.generations.get(id)
  if (found === undefined) return null
  const created = new Date(found.at).toISOString().replace('Z', '000+00:00')
  return `{"data":{"id":"${id}","total_cost":${usd(found.cost)},"created_at":"${created}","is_byok":false}}`
}

const server = createServer((request, response) => {
  upstream.keys.add(request.headers.authorization)
  const refuse = upstream.refusals.shift()
  if (refuse !== undefined) return refuse(response)
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://upstream')
  const body =
    pathname === '/api/v1/activity'
      ? activityOf(searchParams.get('date') ?? '')
      : generationOf(searchParams.get('id') ?? '')
  response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' }).end(body ?? '{"error":{}}')
})

let listening: LoopbackServer
beforeAll(async () => void (listening = await listenOnLoopback(server)))
afterAll(() => listening.close())

describeEachEngine('reconciling a day', (engine) => {
  let open: TestDatabase
  let ledger: Ledger
  let caller: SeededCaller
  let deps: ReconciliationDeps
  /** Of a day of its own for each test. */
  let start = Date.UTC(2026, 2, 1)
  let now = 0
  let archive: string | null = null
  const day = (): string => new Date(start).toISOString().slice(0, 10)

  beforeAll(async () => {
    open = await openTestDatabase(engine)
    ledger = new Ledger({ engine: createLedgerEngine(open.database) })
    caller = await seedCaller(open.database)
    await ledger.submit(grant(caller.accountId, 1_000_000_000_000n))
  })
  beforeEach(() => {
    start += 3 * DAY_MS
    now = start + DAY_MS + 3 * HOUR_MS
    upstream.generations.clear()
    upstream.refusals.length = 0
    const figures = openOpenRouterFigures({
      ...{ name: 'router', url: `${listening.origin}/api/v1`, key: 'management key', findProxy: DIRECT },
      pause: () => Promise.resolve(),
    })
    deps = { database: open.database, clock: { now: () => now }, figures: new Map([['router', figures]]) }
  })
  afterAll(async () => {
    await ledger.close()
    await open.close()
  })

  /** A request that cost so much, and was billed the same unless something else is said. */
  async function ask(
    generationId: string | null,
    cost: bigint,
    { at = start + 12 * HOUR_MS, tookMs = 1_000, billed = {}, served = 'router' }: AskOptions = {},
  ): Promise<string> {
    const holdId = createId(at)
    await ledger.submit(placeHold(caller, { holdId, fixed: cost * 2n, now: at }))
    const facts = { ...DELIVERED, upstream: served, upstreamModel: MODEL, generationId }
    const end = capture(holdId, (cost * 6n) / 5n, { facts, cost: nanocreditsOf(cost), now: at + tookMs })
    expect(await ledger.submit(end)).toMatchObject({ kind: 'settled' })
    if (generationId !== null && billed !== null) {
      upstream.generations.set(generationId, { cost, at: at + 200, ...billed })
    }
    return holdId
  }
  interface AskOptions {
    readonly at?: number
    readonly tookMs?: number
    /** How it was billed otherwise; null for not at all. */
    readonly billed?: Partial<Billed> | null
    readonly served?: string
  }

  const byActivity = async () =>
    (await reconcile(deps, { upstream: 'router', day: day(), by: 'test', lines: null, archive })).report

  async function byFile(rows: readonly string[], header = 'generation_id,cost_usd,created_at') {
    const text = [header, ...rows].join('\n')
    const lines = () => readInvoice(one(Buffer.from(text)), { headers: new Map(), offsetMinutes: 0 })
    return (await reconcile(deps, { upstream: 'router', day: day(), by: 'test', lines, archive })).report
  }
  async function* one(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    yield bytes
  }
  const rowsOf = (): string[] =>
    [...upstream.generations].map(([id, { cost, at }]) => `${id},${usd(cost)},${new Date(at).toISOString()}`)

  const told = ({ differences }: ReconciliationReport): readonly string[] =>
    differences.map(({ kind, generationId, here, there }) => `${kind} ${generationId} ${here.cost} ${there.cost}`)

  test('agrees with what was billed as the books have it, and with another upstream about nothing', async () => {
    await ask('gen-a', 1_234_567n)
    await ask('gen-b', 89n)
    await ask('gen-c', 5_000n, { served: 'elsewhere', billed: null })
    await ask('gen-late', 700n, { at: start + DAY_MS - 1_000, tookMs: 60_000, billed: { at: start + DAY_MS + 20_000 } })
    for (const report of [await byActivity(), await byFile(rowsOf())]) {
      expect(told(report)).toEqual([])
      expect([report.here, report.there]).toEqual([report.there, report.here])
    }
    expect([...upstream.keys]).toEqual(['Bearer management key'])
  })

  test('finds a dropped record, a doubled one, a changed cost and an unknown generation', async () => {
    await ask('gen-same', 10_000n)
    await ask('gen-changed', 20_000n, { billed: { cost: 25_000n } })
    await ask('gen-unknown', 30_000n, { billed: null })
    const twice = [await ask('gen-twice', 40_000n), await ask('gen-twice', 40_000n)]
    upstream.generations.set('gen-dropped', { cost: 50_000n, at: start + HOUR_MS })

    const file = await byFile(rowsOf())
    expect(told(file)).toEqual([
      'missing_here gen-dropped 0 50000',
      'missing_there gen-unknown 30000 0',
      'doubled_here gen-twice 80000 40000',
      'cost_differs gen-changed 20000 25000',
    ])
    expect(file.differences[2]?.requestIds.toSorted()).toEqual(twice.toSorted())

    const activity = await byActivity()
    expect(told(activity)).toEqual([
      'missing_here null 0 50000',
      'missing_there gen-unknown 30000 0',
      'doubled_here gen-twice 40000 0',
      'cost_differs gen-changed 20000 25000',
    ])
    expect(activity.there.cost - activity.here.cost).toBe(file.there.cost - file.here.cost)
  })

  test('knows the generations of attempts that failed, and of requests that made several', async () => {
    const log = createAttemptLog({
      store: createAttemptStore(open.database),
      onError: (error) => expect(error).toBe(0),
    })
    const attempt = { upstream: 'router', upstreamModel: MODEL, failure: null, cost: null }
    const id = await ask('gen-1', 9_000n, { billed: { cost: 4_000n } })
    log.note(
      id,
      [
        { ...attempt, generationId: 'gen-1' },
        { ...attempt, generationId: 'gen-2' },
      ],
      now,
    )
    upstream.generations.set('gen-2', { cost: 5_000n, at: start + 12 * HOUR_MS })
    const other = await ask('gen-elsewhere', 700n, { served: 'elsewhere', billed: null })
    log.note(other, [{ ...attempt, failure: 'broken', generationId: 'gen-3', cost: 60n }], now)
    upstream.generations.set('gen-3', { cost: 60n, at: start + 12 * HOUR_MS })
    await log.flush()
    log.note(id, [{ ...attempt, generationId: 'gen-other' }], now)
    await log.flush()
    for (const report of [await byFile(rowsOf()), await byActivity()]) {
      expect(told(report)).toEqual([])
      expect(report.there).toEqual({ rows: 3, cost: 9_060n })
    }
    upstream.generations.set('gen-2', { cost: 5_500n, at: start + 12 * HOUR_MS })
    expect(told(await byFile(rowsOf()))).toEqual(['cost_differs gen-1 9000 9500'])
  })

  test('reads a day whose records are archived, from the files, and is refused without them', async () => {
    const attempts = createAttemptLog({
      store: createAttemptStore(open.database),
      onError: (error) => expect(error).toBe(0),
    })
    const id = await ask('gen-old', 10_000n, { billed: { cost: 9_000n } })
    const broken = { failure: 'broken', generationId: 'gen-broken', cost: 500n } as const
    attempts.note(id, [{ upstream: 'router', upstreamModel: MODEL, ...broken }], now)
    await attempts.flush()
    upstream.generations.set('gen-broken', { cost: 1_500n, at: start + 12 * HOUR_MS })
    await ask('gen-dearer', 20_000n, { billed: { cost: 25_000n } })
    await ask('gen-elsewhere', 30_000n, { served: 'elsewhere', billed: null })
    /** PostgreSQL gives rows of one step in any order. */
    const both = async () =>
      [await byFile(rowsOf()), await byActivity()].map((report) => ({
        ...report,
        differences: report.differences.toSorted((one, other) => Number(one.here.cost - other.here.cost)),
      }))
    const before = await both()
    const differ = ['cost_differs gen-old 10000 10500', 'cost_differs gen-dearer 20000 25000']
    expect(before.map(told)).toEqual([differ, differ])
    const folder = await mkdtemp(join(tmpdir(), 'svc-archive-'))
    try {
      const archiving = { store: createArchiveStore(open.database), clock: { now: () => start + 100 * DAY_MS } }
      const wish = { folder, before: start + DAY_MS, isDryRun: false }
      const alone = { mayGoOn: () => Promise.resolve(true), release: () => Promise.resolve() }
      await archiveRequests({ ...archiving, ...alone, listWaiting: () => [] }, wish)
      await expect(byActivity()).rejects.toThrow('are archived: run the command with --archive FOLDER')
      archive = folder
      expect(await both()).toEqual(before)
      archive = join(folder, 'other')
      await expect(byActivity()).rejects.toThrow(`is not in ${archive}`)
    } finally {
      archive = null
      await rm(folder, { recursive: true })
    }
  })

  describe('a run', () => {
    test('waits where the upstream says so, and is kept with why it came to no verdict', async () => {
      const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end('{}')
      upstream.refusals.push(status(429), status(503))
      await ask('gen-patient', 10n)
      expect(told(await byActivity())).toEqual([])
      upstream.refusals.push(status(403))
      await expect(byActivity()).rejects.toThrow('it refuses the key: a management key is needed')
      const [newest] = await createReconciliationStore(open.database).list(1)
      expect(newest).toMatchObject({ upstream: 'router', day: day(), startedBy: 'test', differences: null })
      expect(newest?.failure).toContain('a management key is needed')
      expect(await glanceAtReconciliations(deps)).toEqual([
        { upstream: 'router', last: { endedAt: now, differences: 0 }, isUnfinished: true },
      ])
    })

    test('is refused beside another of the upstream, for a day that is not over, and for an invoice that is none', async () => {
      const store = createReconciliationStore(open.database)
      const begun = { upstream: 'router', day: day(), startedBy: 'other', startedAt: now, leaseUntil: now + HOUR_MS }
      expect(await store.begin({ ...begun, runId: createId(now) })).toBe(true)
      await expect(byActivity()).rejects.toThrow('Another reconciliation with the upstream router runs.')
      now += 2 * HOUR_MS
      expect(told(await byActivity())).toEqual([])
      await expect(byFile(['a,1,yesterday'])).rejects.toThrow('Line 2: created_at is no time')
      now = start + DAY_MS - 1
      await expect(byActivity()).rejects.toThrow('The day must be over')
    })

    test('is begun by itself once the day is over, once by all processes, and again where it failed', async () => {
      await ask('gen-night', 10n, { billed: { cost: 12n } })
      const errors: string[] = []
      const look = () => reconcileDue(deps, 3 * HOUR_MS, (name, error) => errors.push(`${name}: ${String(error)}`))
      const kept = async () => {
        const runs = await createReconciliationStore(open.database).list(20, { day: day() })
        return runs.map(({ startedBy, differences }) => `${startedBy} ${differences}`)
      }
      now = start + DAY_MS + 3 * HOUR_MS - 1
      await look()
      expect(await kept()).toEqual([])
      now += 1
      upstream.refusals.push((response) => void response.writeHead(401).end('{}'))
      await look()
      expect(errors).toHaveLength(1)
      await Promise.all([look(), look()])
      expect((await kept()).filter((run) => run === 'schedule 1')).toHaveLength(1)
      await look()
      expect(await kept()).toEqual(['schedule 1', 'schedule null'])
      const [last] = await createReconciliationStore(open.database).list(1, { day: day() })
      const report = await createReconciliationStore(open.database).findReport(last?.runId ?? '')
      expect(report === null ? [] : told(report)).toEqual(['cost_differs gen-night 10 12'])
    })
  })
})
