import { nanocreditsOf } from '@svc/contract'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openTestLedger, assertSound, type TestLedger } from '../../testing/test-ledger.ts'
import { pricedFacts, TEST_NOW } from '../../testing/ledger-operations.ts'
import type { SeededCaller } from '../../testing/seed-caller.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import { handToJob, type JobHoldDeps, settleJobHold } from '../money/billing/job-hold.ts'
import type { OpenHold } from '../money/billing/open-hold.ts'
import { OpenHolds } from '../money/billing/open-holds.ts'
import { type Charged, NO_FACTS } from '../money/billing/settlement.ts'
import { SettlementJournal } from '../money/billing/settlement-journal.ts'
import type { Model } from '../catalog/model.ts'
import type { ChatCall } from '../modalities/chat/parse-chat.ts'
import { StreamDelivery } from '../modalities/chat/stream-delivery.ts'
import { createVideoJobId, type VideoJob } from '../modalities/videos/video-job.ts'
import { createVideoJobStore } from '../modalities/videos/video-job-store.ts'
import { chargeVideo, formatSnapshot } from '../modalities/videos/video-price.ts'
import { createId } from '../platform/runtime/ids.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { Caller } from '../access/keys/caller.ts'
import type { Target } from './routing/target.ts'
import { attoUsdOf } from '../pricing/usd.ts'
import type { AttoUsd, LateCost } from '../pricing/price.ts'
import type { ChatStream, ChatStreamOutcome, ChunkFacts } from '../upstreams/chat-upstream.ts'
import { type UpstreamBill, upstreamFailure } from '../upstreams/upstream-failure.ts'
import {
  type Bound,
  type PaidDeps,
  type PaidRun,
  type PaidWork,
  type Priced,
  type Sink,
  wholeAnswer,
} from './paid-work.ts'
import type { StreamReader } from './frame-writer.ts'
import { CancelledBeforeOutput } from './cancelled-before-output.ts'
import { noteProgress } from './note-progress.ts'
import { runPaid } from './run-paid.ts'

/** Every amount here is in nanocredits; one of them is 10⁻¹² USD. */
const nano = (amount: bigint): AttoUsd => attoUsdOf(amount * 1_000_000n)

interface Answer extends UpstreamBill {
  readonly text: string
}

type Reply = readonly [text: string, charge: bigint]
type Work = PaidWork<Target, Answer, Reply, Reply>
type Run = PaidRun<Target, Answer, Reply, Reply>

const NO_CHUNK: ChunkFacts = {
  ...{ outputBytes: 0, audioBytes: 0, images: 0 },
  ...{ hasContent: false, isReasoning: false, hasCalls: false, finishReason: null },
}

/** A caller's side that is a stream: it has begun once something was written. */
class StreamSink implements Sink<Reply, Reply> {
  isOpen = false
  failed: unknown = null
  told: bigint | null = null

  get mayBeginAnew(): boolean {
    return !this.isOpen
  }

  charged({ charge }: Charged): void {
    this.told = charge
  }

  finish(reply: Reply): Reply {
    return reply
  }

  fail(error: unknown): Reply {
    if (!this.isOpen) throw error
    this.failed = error
    return ['failed', this.told ?? 0n]
  }
}

describeEachEngine('a paid request', (engine) => {
  let money: TestLedger
  let caller: SeededCaller
  let asked: string[] = []
  const costs = new Map<string, AttoUsd>()
  /** Called while a request waits, as it does before it asks for a cost. */
  let whileWaiting: (() => Promise<void>) | null = null
  /** Parts of the gateway that fail, for one test. */
  let failing: Partial<PaidDeps> = {}

  beforeAll(async () => {
    money = await openTestLedger(engine)
  })

  afterEach(() => assertSound(money, TEST_NOW))

  afterAll(() => money.close())

  function deps(): PaidDeps {
    return {
      ledger: money.ledger,
      clock: { now: () => TEST_NOW, elapsed: () => 0 },
      openHolds: new OpenHolds(),
      processId: 'process-1',
      leaseMs: 20_000,
      consoleUrl: () => 'http://localhost/console',
      catalog: {} as PaidDeps['catalog'],
      random: () => 0,
      pause: async () => whileWaiting?.(),
      upstreamOf: ({ upstream: name }) => {
        const circuits = { admit: () => true, release: () => undefined, note: () => undefined, waitMs: () => 0 }
        const findCost = (id: string): Promise<LateCost | null> => {
          const cost = costs.get(id)
          return Promise.resolve(cost === undefined ? null : { cost, usage: null })
        }
        return { name, circuits, findCost } as unknown as ReturnType<PaidDeps['upstreamOf']>
      },
      ...failing,
    }
  }

  const target = { price: null, media: null, weight: 1 }
  const model = {
    id: 'svc-test',
    route: {
      isWeighted: false,
      fallback: true,
      targets: ['first', 'second'].map((upstream) => ({ ...target, upstream, upstreamModel: 'm' })),
    },
  } as unknown as Model

  function priced(charge: bigint, more: Partial<Priced<Reply>> = {}): Priced<Reply> {
    const pricing = pricedFacts(charge, charge / 2n).pricing ?? ''
    return {
      charge: { charge: nanocreditsOf(charge), cost: nanocreditsOf(charge / 2n), basis: 'card', pricing },
      ...{ estimated: false, status: 'ok', errorCode: null, failure: null, tokens: {}, generationId: null },
      render: (taken) => ['answer', taken.charge],
      ...more,
    }
  }

  const exactly = (units: bigint): Bound => ({
    ...{ fixed: nanocreditsOf(units), perUnit: nanocreditsOf(0n) },
    ...{ units: 1, policy: 'exact', firstUnits: 1 },
  })

  async function run(
    balance: bigint,
    parts: Partial<Work> = {},
    running: Partial<Run> = {},
    most: bigint | null = null,
  ) {
    asked = []
    caller = await money.createCaller(balance)
    const requestId = createId(TEST_NOW)
    const work: Work = {
      ...{ type: 'chat', model: 'svc-test', stream: false, sendsBeforeSettlement: false },
      findModel: () => model,
      selectTarget: () => (offering) => offering,
      bound: () => exactly(100n),
      begin: () => ({
        sink: wholeAnswer<Reply>(),
        ask: ({ upstream }) => {
          asked.push(upstream.name)
          return Promise.resolve({ text: 'answer', cost: null, generationId: null })
        },
        reportsOf: (answer) => [answer],
        price: () => Promise.resolve(priced(60n)),
        ...running,
      }),
      ...parts,
    }
    const terms = most === null ? null : { most: nanocreditsOf(most), quote: null }
    const task = { caller: { ...caller, models: null } as unknown as Caller, call: null, requestId, terms }
    const outcome = await runPaid(deps(), task, work).then(
      (reply) => ({ reply, error: null }),
      (error: unknown) => ({ reply: null, error: error as ServiceError }),
    )
    const { posted, held } = await money.findBalance(caller.accountId)
    const record = await money.test.database.read
      .selectFrom('usage_record')
      .selectAll()
      .where('usage_id', '=', requestId)
      .executeTakeFirst()
    return { ...outcome, taken: balance - posted, held, record, asked }
  }

  test('takes the charge that it reported, to the nanocredit, and leaves no hold', async () => {
    for (const charge of [1n, 60n, 100n]) {
      const done = await run(1_000n, {}, { price: () => Promise.resolve(priced(charge)) })
      expect([done.reply, done.taken, done.held]).toEqual([['answer', charge], charge, 0n])
    }
  })

  test('asks no upstream that the balance does not pay for', async () => {
    const done = await run(99n)
    expect([done.error?.status, done.taken, done.asked]).toEqual([402, 0n, []])
  })

  test('is counted where its first bound does not fit, and refused by the first where the count says no less', async () => {
    const sharper = await run(99n, { sharperBound: () => Promise.resolve(exactly(80n)) })
    expect([sharper.reply, sharper.taken]).toEqual([['answer', 60n], 60n])
    const refused = await run(99n, { sharperBound: () => Promise.resolve(null) })
    expect([refused.error?.status, refused.asked]).toEqual([402, []])
  })

  test('reads what was really taken where the balance does not pay all', async () => {
    const done = await run(100n, {}, { price: () => Promise.resolve(priced(250n)) })
    expect([done.reply, done.taken, done.held]).toEqual([['answer', 100n], 100n, 0n])
  })

  test('never costs more than its caller has agreed to: the rest is written off, and the record says so', async () => {
    const done = await run(1_000n, {}, { price: () => Promise.resolve(priced(250n)) }, 100n)
    expect([done.reply, done.taken, done.held]).toEqual([['answer', 100n], 100n, 0n])
    expect(done.record).toMatchObject({ charge: 100n, write_off: 150n })
    expect(done.record?.pricing).toContain('"credits_at_most":"0.0000001"')
  })

  test('that could cost more than its caller has agreed to is refused before credits are held', async () => {
    const done = await run(1_000n, {}, {}, 99n)
    expect([done.error?.code, done.error?.param, done.taken]).toEqual(['max_credits_exceeded', 'x-svc-max-credits', 0n])
    expect([done.record, done.asked]).toEqual([undefined, []])
    const counted = await run(1_000n, { sharperBound: () => Promise.resolve(exactly(99n)) }, {}, 99n)
    expect([counted.reply, counted.taken]).toEqual([['answer', 60n], 60n])
  })

  const failures: Readonly<Record<string, () => Partial<Run>>> = {
    'whose upstream fails': () => ({ ask: () => Promise.reject(upstreamFailure('broken', { upstream: 'first' })) }),
    'whose answer is none': () => ({ price: () => Promise.reject(upstreamFailure('empty', { upstream: 'first' })) }),
    'whose answer cannot be written': () => ({
      price: () =>
        Promise.resolve(
          priced(60n, {
            render: () => {
              throw new ServiceError('internal_error', 'It cannot be written.')
            },
          }),
        ),
    }),
  }

  test.each(Object.entries(failures))('%s is free and says why', async (_name, running) => {
    const done = await run(1_000n, {}, running())
    expect(done.error).toBeInstanceOf(ServiceError)
    expect([done.taken, done.held]).toEqual([0n, 0n])
    expect(done.record).toMatchObject({ status: 'error', error_code: done.error?.code, charge: 0n })
  })

  test('that turns out impossible with what is held is free, and no upstream is asked', async () => {
    const begin = () => {
      throw new ServiceError('unsupported_parameter', 'Too much.')
    }
    const done = await run(1_000n, { begin })
    expect([done.error?.status, done.taken, done.held, done.asked]).toEqual([400, 0n, 0n, []])
  })

  test('goes to the next upstream where nothing can have been billed', async () => {
    const ask: Run['ask'] = ({ upstream }) => {
      asked.push(upstream.name)
      if (upstream.name === 'first') {
        return Promise.reject(upstreamFailure('overloaded', { upstream: 'first', isUnbilled: true }))
      }
      return Promise.resolve({ text: 'answer', cost: null, generationId: null })
    }
    const done = await run(1_000n, {}, { ask })
    expect([done.reply, done.asked]).toEqual([
      ['answer', 60n],
      ['first', 'second'],
    ])
    expect(done.record).toMatchObject({ upstream: 'second', status: 'ok' })
  })

  test('is never repeated where the upstream bills the attempt, whose cost is our loss', async () => {
    const failure = upstreamFailure('overloaded', { upstream: 'first', isUnbilled: true })
    const ask: Run['ask'] = ({ upstream }) => {
      asked.push(upstream.name)
      return Promise.resolve({ text: '', cost: nano(40n), generationId: null })
    }
    const done = await run(1_000n, {}, { ask, failureOf: () => failure, price: () => Promise.reject(failure) })
    expect([done.taken, done.asked]).toEqual([0n, ['first']])
    expect(done.record).toMatchObject({ charge: 0n, cost: 40n, write_off: 40n })
  })

  test('that fails asks what its answer cost all the same', async () => {
    costs.set('gen-1', nano(7n))
    const done = await run(
      1_000n,
      {},
      {
        ask: () => Promise.resolve({ text: '', cost: null, generationId: 'gen-1' }),
        price: () => Promise.reject(upstreamFailure('empty', { upstream: 'first' })),
      },
    )
    expect(done.record).toMatchObject({ charge: 0n, cost: 7n, write_off: 7n, generation_id: 'gen-1' })
  })

  test('of a stream that broke off is charged for the part, and its caller reads so', async () => {
    const sink = new StreamSink()
    const failure = upstreamFailure('broken', { upstream: 'first' })
    const ask: Run['ask'] = () => {
      sink.isOpen = true
      return Promise.resolve({ text: 'ans', cost: null, generationId: null })
    }
    const price = () => Promise.resolve(priced(30n, { failure, errorCode: 'upstream_error' }))
    const done = await run(1_000n, { stream: true, sendsBeforeSettlement: true }, { sink, ask, price })
    expect([done.reply, done.taken, done.held, sink.failed]).toEqual([['failed', 30n], 30n, 0n, failure])
    expect(done.record).toMatchObject({ status: 'ok', error_code: 'upstream_error', charge: 30n })
  })

  test('whose caller left before there was anything is free and no failure', async () => {
    const sink = new StreamSink()
    const ask: Run['ask'] = () => Promise.reject(new CancelledBeforeOutput())
    const done = await run(1_000n, { stream: true, sendsBeforeSettlement: true }, { sink, ask })
    expect(done.record).toMatchObject({ status: 'cancelled', error_code: null, charge: 0n })
    expect([done.taken, done.held]).toEqual([0n, 0n])
  })

  // A clean `cancelled` would say that nothing had gone wrong, and the bill would never be asked for.
  test('that fails after a part of its stream was delivered is a failure, also where its caller has left', async () => {
    const gone = new AbortController()
    const writer = { write: () => true, end: () => undefined, onDrain: () => undefined }
    const reader: StreamReader = { open: () => writer, charged: () => undefined, gone: gone.signal }
    const call = { request: { model: 'svc-test' }, body: { value: {} }, carriesMedia: false } as unknown as ChatCall
    const begin: Work['begin'] = ({ hold }) => {
      const delivery = new StreamDelivery({ firstContentMs: 10_000 }, { hold, choices: 1 }, call, reader)
      const ask = async (): Promise<Answer> => {
        await delivery.run((sink) => {
          sink.chunk('"choices":[]', { ...NO_CHUNK, outputBytes: 4, hasContent: true })
          gone.abort()
          sink.end({ error: null } as ChatStreamOutcome)
          return Promise.resolve({ stop: () => undefined } as ChatStream)
        })
        return { text: 'part', cost: null, generationId: 'gen-1' }
      }
      const price = () => Promise.reject(new Error('a fault of the gateway'))
      return { sink: delivery, ask, price, reportsOf: (answer: Answer) => [answer] } as unknown as Run
    }
    costs.set('gen-1', nano(30n))
    const done = await run(1_000n, { stream: true, sendsBeforeSettlement: true, begin })
    expect(done.record).toMatchObject({ status: 'error', error_code: 'internal_error', charge: 0n, write_off: 30n })
    expect([done.taken, done.held]).toEqual([0n, 0n])
  })

  // Who finds the hold of a process that died then would charge what was noted.
  test('that has failed is written down as that before its bill is asked for', async () => {
    const noted: string[] = []
    whileWaiting = async () => {
      const holds = money.test.database.read.selectFrom('hold').select('progress').where('state', '=', 'held')
      noted.push((await holds.executeTakeFirstOrThrow()).progress ?? 'nothing')
    }
    const tokens = { promptTokens: 3, completionTokens: 0, pricing: null, generationId: 'gen-1' }
    const begin: Work['begin'] = (paid) => ({
      sink: wholeAnswer<Reply>(),
      ask: async ({ upstream: { name: upstream } }) => {
        noteProgress(paid.hold, paid.target, () => ({ charge: nanocreditsOf(60n), cost: 50n, ...tokens }))
        await paid.hold.note()
        throw upstreamFailure('broken', { upstream, generationId: 'gen-1' })
      },
      reportsOf: (answer) => [answer],
      price: () => Promise.resolve(priced(60n)),
    })
    costs.set('gen-1', nano(30n))
    const done = await run(1_000n, { begin })
    whileWaiting = null
    expect(done.record).toMatchObject({ status: 'error', charge: 0n, write_off: 30n })
    expect(noted.map((text) => JSON.parse(text) as unknown)).toEqual([
      expect.objectContaining({ charge: '0', cost: '0', generationId: 'gen-1', verdict: 'failed' }),
    ])
  })

  /** A ledger that commits settlements, and whose answers are lost so many times. */
  const losesAnswers = (times: number): PaidDeps['ledger'] => ({
    submit: async (operation, ...pace) => {
      const result = await money.ledger.submit(operation, ...pace)
      if (operation.kind === 'settle' && times-- > 0) {
        throw new ServiceError('server_is_overloaded', 'The database does not answer.')
      }
      return result
    },
  })

  /** No folder can be made in a file, so that the disk takes no settlement either. */
  const refusingJournal = () =>
    new SettlementJournal({ folder: '/dev/null/settlements', processId: 'process-1', clock: { elapsed: () => 0 } })

  test('that was charged although neither database nor disk confirmed it is answered', async () => {
    failing = { ledger: losesAnswers(1), journal: refusingJournal() }
    const done = await run(1_000n)
    failing = {}
    expect([done.error, done.reply, done.taken, done.held]).toEqual([null, ['answer', 60n], 60n, 0n])
    expect(done.record).toMatchObject({ status: 'ok', charge: 60n })
  })

  test('of which nobody knew in time that it was charged is reported once that is known', async () => {
    const openHolds = new OpenHolds()
    const differing: [bigint, bigint][] = []
    failing = {
      ...{ ledger: losesAnswers(2), journal: refusingJournal(), openHolds },
      onDiffering: ({ charge }, booked) => void differing.push([charge, booked]),
    }
    const done = await run(1_000n)
    failing = {}
    expect([done.error?.code, done.taken, differing]).toEqual(['server_is_overloaded', 60n, []])
    await openHolds.rewriteUnwritten()
    expect(differing).toEqual([[0n, 60n]])
  })

  test('gets another code than the one it failed with where a kind has one', async () => {
    const told = new ServiceError('upstream_timeout', 'Later.', { shouldRetry: false })
    const running: Partial<Run> = { ...failures['whose upstream fails']?.(), explain: () => told }
    const done = await run(1_000n, {}, running)
    expect(done.error).toBe(told)
    expect(done.record).toMatchObject({ error_code: 'upstream_error' })
  })

  /** A request whose upstream begins a job, and how it is kept. */
  function begins(keep: (hold: OpenHold, billing: JobHoldDeps) => Promise<boolean>): Partial<Work> {
    return {
      sendsBeforeSettlement: true,
      begin: ({ hold }) => ({
        sink: wholeAnswer<Reply>(),
        ask: () => Promise.resolve({ text: 'job-1', cost: null, generationId: null }),
        reportsOf: () => [],
        handOver: async ({ text }) => {
          const isKept = await keep(hold, { ...deps(), database: money.test.database })
          if (!isKept) throw new ServiceError('server_is_overloaded', 'The job cannot be kept.')
          return [text, 0n]
        },
      }),
    }
  }

  test('that begins a job charges nothing and leaves its hold to the job, whose end settles it once', async () => {
    const { database } = money.test
    const jobs = createVideoJobStore(database)
    const jobId = createVideoJobId(TEST_NOW)
    const perSecond = attoUsdOf(50_000_000n)
    const noted = { seconds: 1, perSecond, images: 0, perImage: null, minimum: null, variant: {}, most: null }
    const { basis, pricing } = chargeVideo(noted, null)
    const begun = begins(({ id: holdId }, billing) => {
      const { accountId, keyId } = caller
      const job: VideoJob = {
        ...{ jobId, holdId, accountId, keyId, model: 'svc-test', upstream: 'first', upstreamModel: 'm' },
        ...{
          seconds: 1,
          size: null,
          price: formatSnapshot(noted),
          estimate: nanocreditsOf(100n),
          upstreamJobId: 'job-1',
        },
        ...{ state: 'queued', progress: 0, createdAt: TEST_NOW, nextStepAt: null, failures: 0, endedAt: null },
        ...{ errorCode: null, cost: null, outputs: 0, settledAt: null, charge: null, fileMissedAt: null },
        ...{ firstReadAt: null, files: null, deletedAt: null },
      }
      return handToJob(billing, { id: holdId }, (takeOver) => jobs.insert(job, takeOver))
    })
    const done = await run(1_000n, begun)
    expect([done.reply, done.taken, done.held, done.record]).toEqual([['job-1', 0n], 0n, 100n, undefined])

    const { holdId: id, accountId, keyId } = await jobs.get(jobId)
    const placed = { type: 'video', model: 'svc-test', amount: 100n, placedAt: TEST_NOW, most: null } as const
    const held = { id, accountId, keyId, ...placed }
    const end = {
      ...{ charge: nanocreditsOf(60n), cost: nanocreditsOf(50n), lost: nanocreditsOf(7n) },
      facts: { ...NO_FACTS, status: 'ok' as const, basis, estimated: true, pricing },
    }
    expect(await settleJobHold(deps(), held, end)).toEqual({ charge: 60n, isFirst: true })
    expect(await settleJobHold(deps(), held, end)).toEqual({ charge: 60n, isFirst: false })
    expect(await money.findBalance(accountId)).toEqual({ posted: 940n, held: 0n })
    const record = database.read.selectFrom('usage_record').selectAll().where('usage_id', '=', id)
    expect(await record.executeTakeFirstOrThrow()).toMatchObject({ charge: 60n, cost: 57n, write_off: 7n })

    const verdict = { state: 'completed', outputs: 1, cost: null } as const
    const settled = { state: 'completed', charge: end.charge, settledAt: TEST_NOW, nextStepAt: null } as const
    await jobs.end(jobId, verdict, { endedAt: TEST_NOW, nextStepAt: TEST_NOW })
    await jobs.noteSettled(jobId, settled)
  })

  test('whose job cannot be kept is free', async () => {
    const done = await run(
      1_000n,
      begins(() => Promise.resolve(false)),
    )
    expect([done.error?.status, done.taken, done.held]).toEqual([503, 0n, 0n])
    expect(done.record).toMatchObject({ status: 'error', error_code: 'server_is_overloaded', charge: 0n })
  })
})
