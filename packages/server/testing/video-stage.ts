/** Video jobs without HTTP on the caller's side: real database and ledger, the real adapter, a stub upstream. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nanocreditsOf, NANOCREDITS_PER_CREDIT, type VideoRequest, videoRequest } from '@svc/contract'
import { OpenHolds } from '../src/money/billing/open-holds.ts'
import type { Catalog } from '../src/catalog/catalog.ts'
import type { Model } from '../src/catalog/model.ts'
import type { DatabaseEngine } from '../src/platform/db/database.ts'
import { createFolderFiles } from '../src/platform/files/folder-files.ts'
import type { Caller } from '../src/access/keys/caller.ts'
import { createLedgerEngine } from '../src/money/ledger/create-ledger-engine.ts'
import { Ledger } from '../src/money/ledger/ledger.ts'
import { parseUsd } from '../src/pricing/usd.ts'
import type { AttoUsd } from '../src/pricing/price.ts'
import { createId } from '../src/platform/runtime/ids.ts'
import { openRouterVideoBody } from '../src/upstreams/openai-compatible/video-body.ts'
import { createVideos } from '../src/upstreams/openai-compatible/openai-videos.ts'
import { CircuitBreaker } from '../src/upstreams/circuit-breaker.ts'
import { DIRECT } from '../src/platform/outbound/open-dispatcher.ts'
import { createUpstreamClient } from '../src/upstreams/upstream-client.ts'
import type { WatchedUpstream } from '../src/upstreams/watch-health.ts'
import { submitVideo } from '../src/modalities/videos/submit-video.ts'
import type { VideoJob } from '../src/modalities/videos/video-job.ts'
import { createVideoJobStore } from '../src/modalities/videos/video-job-store.ts'
import { type ObserverDeps, VideoObserver } from '../src/modalities/videos/video-observer.ts'
import type { VideoOffer } from '../src/modalities/videos/video-settings.ts'
import { TEST_NOW } from './ledger-operations.ts'
import { startStubVideoUpstream, type StubVideoJob, type StubVideoUpstream } from './stub-video-upstream.ts'
import { type BelievedClock, believedClock } from '../src/platform/runtime/believed-clock.ts'
import { assertSound, openTestLedger, type TestLedger } from './test-ledger.ts'

/** What one process's part of the stage is given. */
export type StageDeps = ObserverDeps & { readonly openHolds: OpenHolds }

export interface VideoStage {
  readonly money: TestLedger
  readonly stub: StubVideoUpstream
  /** `moved` is how time has passed since the start, `leapt` by how much the system's clock is set; in milliseconds. */
  readonly clock: BelievedClock & { moved: number; leapt: number }
  readonly deps: StageDeps
  /** The offer of the one model that there is; a test may change it. */
  offer: VideoOffer
  readonly errors: unknown[]
  /** Makes a caller with so many whole credits. */
  createCaller(credits: bigint): Promise<Caller>
  submit(caller: Caller, request?: Partial<VideoRequest>): Promise<VideoJob>
  /** The upstream's own record of a job. */
  upstreamJob(job: VideoJob): StubVideoJob | undefined
  /** Another process on the same database: its own ledger, its own polls. */
  anotherProcess(): Promise<StageDeps>
  /** One round of the background work, to its end. */
  observe(deps?: ObserverDeps): Promise<void>
  balance(caller: Caller): Promise<{ readonly posted: bigint; readonly held: bigint }>
  /** Captures of a job's hold. */
  captures(job: VideoJob): Promise<readonly bigint[]>
  /** What each transfer of its hold wrote off. */
  writeOffs(job: Pick<VideoJob, 'holdId'>): Promise<readonly bigint[]>
  /** Audits, and closes everything. */
  close(): Promise<void>
  /** Closes everything, whatever the books say. */
  closeUnsound(): Promise<void>
}

export const usd = (text: string): AttoUsd => parseUsd(text) as AttoUsd

/** Half a dollar a second in 1080p, a tenth in 720p with audio. */
export const testOffer: VideoOffer = {
  type: 'video',
  source: 'snapshot',
  isGuess: false,
  prices: {
    type: 'video',
    perSecond: usd('0.1'),
    defaultResolution: '720p',
    defaultAudio: true,
    variants: [
      { resolution: '720p', audio: true, perSecond: usd('0.1') },
      { resolution: '720p', audio: false, perSecond: usd('0.05') },
      { resolution: '1080p', audio: true, perSecond: usd('0.5') },
    ],
    perInputImage: usd('0.01'),
    minimum: null,
  },
  facts: {
    durations: [4, 5, 8],
    resolutions: ['720p', '1080p'],
    aspectRatios: ['16:9', '9:16'],
    sizes: [],
    frameImages: ['first_frame'],
    generatesAudio: true,
  },
}

const TIMEOUTS = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 5_000 } as const

/** Opens one. Close it at the end of the test. */
export async function openVideoStage(engine: DatabaseEngine): Promise<VideoStage> {
  const money = await openTestLedger(engine)
  const stub = await startStubVideoUpstream()
  const folder = await mkdtemp(join(tmpdir(), 'svc-videos-'))
  const machine = { moved: 0, leapt: 0 }
  const clock = Object.assign(
    machine,
    believedClock({ now: () => TEST_NOW + machine.moved + machine.leapt, elapsed: () => machine.moved }),
  )
  const files = await createFolderFiles({ folder, clock })
  const client = createUpstreamClient({
    ...{
      url: stub.url,
      apiKey: 'upstream-key',
      timeouts: TIMEOUTS,
      allowH2: false,
      findProxy: DIRECT,
      extraHeaders: {},
    },
  })
  const dialect = { reportsCost: true, cancels: true, writeBody: openRouterVideoBody }
  const videos = createVideos({ name: 'stub', client, clock, dialect, openElsewhere: null })
  const circuits = new CircuitBreaker({ configured: { breakerFailures: 5, breakerOpenMs: 0 } }, clock)
  const upstream = { name: 'stub', videos, circuits } as unknown as WatchedUpstream
  const errors: unknown[] = []
  const closes: (() => Promise<void>)[] = []
  const model = { id: 'test/video', upstream: 'stub', upstreamModel: 'test/video', price: null, route: null }
  const { database } = money.test
  const depsWith = (ledger: Ledger, on = database): StageDeps => ({
    ...{
      ledger,
      clock,
      openHolds: new OpenHolds(),
      processId: createId(Date.now()),
      consoleUrl: () => 'http://localhost/console',
    },
    ...{ database: on, jobs: createVideoJobStore(on), files, polls: new Map() },
    catalog: { find: () => ({ ...model, media: stage.offer }) as unknown as Model } as unknown as Catalog,
    ...{ upstreamOf: () => upstream, holderOf: () => videos, random: () => 0, pause: () => Promise.resolve() },
    onError: (_jobId, error) => void errors.push(error),
  })
  const deps = depsWith(money.ledger)
  const stage: VideoStage = {
    ...{ money, stub, clock, deps, errors, offer: testOffer },
    async createCaller(credits) {
      const seeded = await money.createCaller(credits * NANOCREDITS_PER_CREDIT)
      return { ...seeded, rights: new Set(['inference']), models: null } as unknown as Caller
    },
    submit: (caller, request = {}) =>
      submitVideo(deps, {
        caller,
        call: { request: videoRequest.parse({ model: 'test/video', prompt: 'A boat.', ...request }), file: null },
        requestId: createId(clock.now()),
        terms: null,
      }),
    upstreamJob: ({ upstreamJobId }) => stub.jobs.find(({ id }) => id === upstreamJobId),
    async anotherProcess() {
      const again = await money.test.openAgain()
      const ledger = new Ledger({ engine: createLedgerEngine(again) })
      closes.push(() => ledger.close())
      return depsWith(ledger, again)
    },
    async observe(by = deps) {
      const observer = new VideoObserver(by)
      await observer.tick()
      await observer.idle()
    },
    balance: ({ accountId }) => money.findBalance(accountId),
    async captures({ holdId }) {
      const rows = await database.read.selectFrom('transfer').select('charge').where('hold_id', '=', holdId).execute()
      return rows.map((row) => row.charge)
    },
    async writeOffs({ holdId }) {
      const rows = await database.read
        .selectFrom('transfer')
        .select('write_off')
        .where('hold_id', '=', holdId)
        .execute()
      return rows.map((row) => row.write_off)
    },
    async close() {
      await assertSound(money, clock.now())
      await stage.closeUnsound()
    },
    async closeUnsound() {
      for (const close of closes) await close()
      await client.close()
      await stub.close()
      await money.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return stage
}

/** Whole and decimal credits as nanocredits. */
export function credits(amount: number): bigint {
  return nanocreditsOf(BigInt(Math.round(amount * 1_000)) * (NANOCREDITS_PER_CREDIT / 1_000n))
}
