/** Every port of an upstream with every observer of its calls: health and recent calls, metrics, traces. */
import { Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { createUpstreamMetrics } from '../telemetry/metrics/upstream-metrics.ts'
import { measureCalls } from '../app/observe/measure-calls.ts'
import { traceCalls } from '../app/observe/trace-calls.ts'
import type { SpanFacts, Tracing } from '../telemetry/tracing/tracing.ts'
import type { ChatStreamOutcome, ChatStreamSink, UpstreamChatRequest } from './chat-upstream.ts'
import type { HealthGroup, Upstream } from './upstream.ts'
import { UpstreamFailure, upstreamFailure } from './upstream-failure.ts'
import { interceptUpstream } from './intercept-upstream.ts'
import { KeyRing } from './key-ring.ts'
import { watchHealth } from './watch-health.ts'

interface Span {
  readonly name: string
  readonly facts: Record<string, unknown>
  ended: string | null | undefined
}

const MODEL = 'maker/model'
const USAGE = { promptTokens: 7, completionTokens: 5, cachedTokens: 2, cacheWriteTokens: 0, reasoningTokens: 1 }
const TOKENS = { 'gen_ai.usage.input_tokens': 7, 'gen_ai.usage.output_tokens': 5 }
const ANSWER = { generationId: 'gen-1', model: 'maker/model-2', usage: USAGE, finishReasons: ['stop'] }
const ANSWER_FACTS = {
  'gen_ai.response.id': 'gen-1',
  'gen_ai.response.model': 'maker/model-2',
  ...TOKENS,
  'gen_ai.usage.cache_read.input_tokens': 2,
  'gen_ai.usage.reasoning.output_tokens': 1,
}
const OUTCOME = { ...ANSWER, cost: null, wire: null, error: null, cut: false, outputBytesAtUsage: 0, isCounted: true }
const CHUNK = {
  outputBytes: 2,
  hasContent: true,
  isReasoning: false,
  hasCalls: false,
  finishReason: 'stop',
  audioBytes: 0,
  images: 0,
}

/** An upstream whose every call answers, or fails, as `answer` says; the requests that it got are kept. */
function sceneOf(answer: () => Promise<unknown>, { isScripted = false, forwardsTrace = false } = {}) {
  const requests: unknown[] = []
  let sink: ChatStreamSink | null = null
  const method = (request?: unknown): Promise<never> => {
    requests.push(request)
    return answer() as Promise<never>
  }
  const upstream = {
    name: 'one',
    complete: method,
    stream: async (request: UpstreamChatRequest, given: ChatStreamSink) => {
      sink = given
      await method(request)
      return { generationId: () => null, pause: () => undefined, resume: () => undefined, stop: () => undefined }
    },
    ...{ findCost: method, listModels: method },
    embeddings: { embed: method },
    images: { create: method },
    speech: { speak: method },
    transcription: { transcribe: method },
    videos: { name: 'one', submit: method, report: method, cancel: method, open: method },
  } as unknown as Upstream
  const registry = new Registry()
  const spans: Span[] = []
  const tracing = {
    call: (name: string, first: SpanFacts) => {
      const span: Span = { name, facts: { ...first }, ended: undefined }
      spans.push(span)
      return {
        traceparent: '00-trace-span-01',
        tell: (facts: SpanFacts) => void Object.assign(span.facts, facts),
        end: (errorCode: string | null) => {
          expect(span.ended).toBeUndefined()
          span.ended = errorCode
        },
      }
    },
  } as unknown as Tracing
  const watched = watchHealth(
    { opened: [upstream], ring: null },
    {
      clock: { now: () => 0, elapsed: () => 0 },
      limits: { configured: { breakerFailures: 5, breakerOpenMs: 1_000 }, isScripted: () => isScripted },
      observers: [
        measureCalls(createUpstreamMetrics(registry)('one')),
        traceCalls(tracing, { name: 'one', url: 'https://upstream.example/v1', forwardsTrace }),
      ],
    },
  )
  const samples = async (): Promise<readonly string[]> =>
    [
      ...(await registry.metrics()).matchAll(
        /^svc_upstream_(?:calls|failures)_total\{upstream="one",(.+)\} ([1-9]\d*)$/gm,
      ),
    ].map(([, labels, count]) => `${labels?.replaceAll(/\w+="(\w+)"/g, '$1')} ${count}`)
  return { watched, requests, spans, samples, sink: () => sink as unknown as ChatStreamSink }
}

type Scene = ReturnType<typeof sceneOf>

const signalOf = (signal?: AbortSignal): never =>
  ({ upstreamModel: MODEL, stream: false, signal: signal ?? new AbortController().signal }) as never
const sink: ChatStreamSink = { chunk: () => true, end: () => undefined }

interface Row {
  readonly operation: string
  readonly call: (upstream: Upstream, signal?: AbortSignal) => Promise<unknown> | undefined
  /** Null: the call says nothing of the upstream's health. */
  readonly group: HealthGroup | null
  /** Whether the call counts among the recent ones of its model. */
  readonly isRecent: boolean
  /** Null: the call has no span. */
  readonly span: { readonly name: string; readonly isStream: boolean; readonly facts: Record<string, unknown> } | null
}

const rows: readonly Row[] = [
  {
    operation: 'complete',
    call: (upstream, signal) => upstream.complete(signalOf(signal)),
    group: 'text',
    isRecent: true,
    span: { name: 'chat', isStream: false, facts: { ...ANSWER_FACTS, 'gen_ai.response.finish_reasons': ['stop'] } },
  },
  {
    operation: 'embed',
    call: (upstream, signal) => upstream.embeddings?.embed(signalOf(signal)),
    group: 'text',
    isRecent: true,
    span: { name: 'embeddings', isStream: false, facts: ANSWER_FACTS },
  },
  {
    operation: 'create_images',
    call: (upstream, signal) => upstream.images?.create(signalOf(signal), () => undefined),
    group: 'image',
    isRecent: true,
    span: { name: 'generate_content', isStream: true, facts: ANSWER_FACTS },
  },
  {
    operation: 'speak',
    call: (upstream, signal) => upstream.speech?.speak(signalOf(signal)),
    group: 'audio',
    isRecent: true,
    span: { name: 'speech', isStream: true, facts: { 'gen_ai.response.id': 'gen-1' } },
  },
  {
    operation: 'transcribe',
    call: (upstream, signal) => upstream.transcription?.transcribe(signalOf(signal), null),
    group: 'audio',
    isRecent: true,
    span: { name: 'transcription', isStream: false, facts: { 'gen_ai.response.id': 'gen-1' } },
  },
  {
    operation: 'find_cost',
    call: (upstream) => upstream.findCost('gen-1'),
    group: null,
    isRecent: false,
    span: null,
  },
  {
    operation: 'list_models',
    call: (upstream) => upstream.listModels(),
    group: 'text',
    isRecent: false,
    span: null,
  },
  {
    operation: 'video_submit',
    call: (upstream) => upstream.videos?.submit(signalOf()),
    group: 'video',
    isRecent: true,
    span: null,
  },
  {
    operation: 'video_report',
    call: (upstream) => upstream.videos?.report('job'),
    group: 'video',
    isRecent: false,
    span: null,
  },
  {
    operation: 'video_cancel',
    call: (upstream) => upstream.videos?.cancel('job'),
    group: null,
    isRecent: false,
    span: null,
  },
  {
    operation: 'video_open',
    call: (upstream) => upstream.videos?.open('job', { index: 0, range: null }),
    group: null,
    isRecent: false,
    span: null,
  },
]

const broken = () => upstreamFailure('overloaded', { upstream: 'one', status: 503 })
const spanOf = ({ spans }: Scene): Span | undefined => spans[0]

describe.each(rows)('$operation', ({ operation, call, group, isRecent, span }) => {
  test('an answer is counted, timed and recorded in its span', async () => {
    const scene = sceneOf(async () => ANSWER)
    expect(await call(scene.watched)).toBe(ANSWER)
    expect(await scene.samples()).toEqual([`${operation},ok 1`])
    expect(scene.watched.recent.models().length).toBe(isRecent ? 1 : 0)
    expect(scene.spans.map(({ name, ended }) => [name, ended])).toEqual(
      span === null ? [] : [[`${span.name} ${MODEL}`, null]],
    )
    if (span === null) return
    expect(spanOf(scene)?.facts).toMatchObject({
      'gen_ai.operation.name': span.name,
      'gen_ai.provider.name': 'one',
      'gen_ai.request.model': MODEL,
      'gen_ai.request.stream': span.isStream,
      'server.address': 'upstream.example',
      'server.port': 443,
      ...span.facts,
    })
    expect(spanOf(scene)?.facts['svc.stopped']).toBeUndefined()
  })

  test('three failures are the health of its group, and an answer mends it', async () => {
    let fails = true
    const scene = sceneOf(async () => (fails ? Promise.reject(broken()) : ANSWER))
    for (let turn = 0; turn < 3; turn++) await expect(call(scene.watched)).rejects.toThrow(UpstreamFailure)
    const health = () =>
      (['text', 'image', 'video', 'audio'] as const).filter((each) => scene.watched.health(each) !== 'ok')
    expect(health()).toEqual(group === null ? [] : [group])
    expect(await scene.samples()).toEqual([`${operation},failed 3`, 'overloaded 3'])
    expect(scene.spans.map(({ ended }) => ended)).toEqual(span === null ? [] : Array(3).fill('server_is_overloaded'))
    fails = false
    await call(scene.watched)
    expect(health()).toEqual([])
  })

  test('what a script plays says nothing of health', async () => {
    const scene = sceneOf(() => Promise.reject(broken()), { isScripted: true })
    for (let turn = 0; turn < 3; turn++) await expect(call(scene.watched)).rejects.toThrow(UpstreamFailure)
    // The list of models is for no model, so no script plays it.
    expect(scene.watched.health('text')).toBe(operation === 'list_models' ? 'down' : 'ok')
    expect((['image', 'video', 'audio'] as const).map((each) => scene.watched.health(each))).toEqual(['ok', 'ok', 'ok'])
  })

  test('a call that its request ended is stopped, and its span has the error', async () => {
    const scene = sceneOf(() => Promise.reject(new Error('gone')))
    await expect(call(scene.watched, AbortSignal.abort())).rejects.toThrow('gone')
    // Only what carries the signal of a request is ended by it.
    expect(await scene.samples()).toEqual(
      span === null ? [`${operation},failed 1`, 'broken 1'] : [`${operation},stopped 1`],
    )
    expect(scene.spans.map(({ ended }) => ended)).toEqual(span === null ? [] : ['internal_error'])
  })

  test('the trace is sent to an upstream that may know it, and to no other', async () => {
    for (const forwardsTrace of [true, false]) {
      const scene = sceneOf(async () => ANSWER, { forwardsTrace })
      await call(scene.watched)
      const expected = forwardsTrace && span !== null ? { traceparent: '00-trace-span-01' } : {}
      const { traceparent } = { traceparent: undefined, ...(scene.requests[0] as object) }
      expect(traceparent === undefined ? {} : { traceparent }).toEqual(expected)
    }
  })
})

describe('a stream', () => {
  async function streamed(outcome: Partial<ChatStreamOutcome> = {}, stops = false) {
    const scene = sceneOf(async () => undefined)
    const stream = await scene.watched.stream(signalOf(), sink)
    expect(await scene.samples()).toEqual([])
    scene.sink().chunk('', { ...CHUNK, hasContent: false, finishReason: null })
    expect(spanOf(scene)?.facts).not.toHaveProperty('gen_ai.response.time_to_first_chunk')
    scene.sink().chunk('', CHUNK)
    if (stops) stream.stop()
    scene.sink().end({ ...OUTCOME, ...outcome })
    return scene
  }

  test('is counted at its end, and its span knows its first content and what it used', async () => {
    const scene = await streamed()
    expect(await scene.samples()).toEqual(['stream,ok 1'])
    expect(spanOf(scene)).toMatchObject({ name: `chat ${MODEL}`, ended: null })
    expect(spanOf(scene)?.facts).toMatchObject({ ...ANSWER_FACTS, 'gen_ai.response.finish_reasons': ['stop'] })
    expect(spanOf(scene)?.facts['gen_ai.response.time_to_first_chunk']).toBeGreaterThanOrEqual(0)
    expect(scene.watched.recent.models()).toMatchObject([{ model: MODEL }])
  })

  test('that breaks off has failed, and says nothing of health, because it had begun', async () => {
    const scene = await streamed({ error: broken() })
    expect(await scene.samples()).toEqual(['stream,failed 1', 'overloaded 1'])
    expect(spanOf(scene)).toMatchObject({ ended: 'server_is_overloaded' })
    expect(scene.watched.health('text')).toBe('ok')
  })

  test('that we stop has not failed', async () => {
    const scene = await streamed({ error: broken() }, true)
    expect(await scene.samples()).toEqual(['stream,stopped 1'])
    expect(spanOf(scene)).toMatchObject({ ended: null, facts: { 'svc.stopped': true } })
  })

  test('that never begins is a failure of the upstream', async () => {
    const scene = sceneOf(() => Promise.reject(broken()))
    await expect(scene.watched.stream(signalOf(), sink)).rejects.toThrow(UpstreamFailure)
    expect(await scene.samples()).toEqual(['stream,failed 1', 'overloaded 1'])
    expect(spanOf(scene)).toMatchObject({ ended: 'server_is_overloaded' })
    expect(scene.watched.health('text')).toBe('degraded')
  })
})

describe('with several keys', () => {
  const clock = { now: () => 0, elapsed: () => 0 }
  /** An upstream as it is opened for one key: it knows its own generations, and fails as it is told. */
  function openingOf(key: string, asked: string[]) {
    return {
      name: 'one',
      complete: async () => ({ ...ANSWER, generationId: `gen-of-${key}` }),
      findCost: async (generationId: string) => {
        asked.push(`${key} ${generationId}`)
        return generationId.endsWith(key) ? { cost: 1n, usage: null } : null
      },
      videos: {
        submit: async () => ({ jobId: `job-of-${key}` }),
        report: async (job: string) => void asked.push(`${key} ${job}`),
      },
    } as unknown as Upstream
  }
  function keyedScene(names: readonly [string, ...string[]]) {
    const asked: string[] = []
    const [first, ...others] = names
    const opened = [openingOf(first, asked), ...others.map((name) => openingOf(name, asked))] as const
    const ring = names.length === 1 ? null : new KeyRing({ names, clock })
    return { asked, upstream: interceptUpstream({ opened, ring }, []) }
  }

  test('a cost is looked up with the key that made it, and after a restart with each until one knows it', async () => {
    const { asked, upstream } = keyedScene(['A', 'B'])
    for (let turn = 0; turn < 2; turn++) await upstream.complete(signalOf())
    await upstream.findCost('gen-of-B')
    await upstream.findCost('gen-of-A')
    expect(asked.splice(0)).toEqual(['B gen-of-B', 'A gen-of-A'])
    const { asked: anew, upstream: restarted } = keyedScene(['A', 'B'])
    expect(await restarted.findCost('gen-of-B')).toMatchObject({ cost: 1n })
    expect(await restarted.findCost('gen-of-nobody')).toBeNull()
    expect(anew).toEqual(['A gen-of-B', 'B gen-of-B', 'A gen-of-nobody', 'B gen-of-nobody'])
  })

  test('a job says with which key it was submitted, also once there is one key, or that one is gone', async () => {
    const { asked, upstream } = keyedScene(['A', 'B'])
    const jobs = [await upstream.videos?.submit(signalOf()), await upstream.videos?.submit(signalOf())]
    const ids = jobs.map((job) => job?.jobId ?? '')
    expect(ids.toSorted()).toEqual(['job-of-A key=A', 'job-of-B key=B'])
    for (const id of [...ids, 'job-of-a-time-before']) await upstream.videos?.report(id)
    await upstream.findCost('job-of-B key=B')
    expect(asked.splice(0).toSorted()).toEqual([
      ...['A job-of-A', 'A job-of-a-time-before', 'B job-of-B', 'B job-of-B'],
    ])
    const { asked: alone, upstream: single } = keyedScene(['B'])
    for (const id of ids.toSorted()) await single.videos?.report(id)
    expect(alone).toEqual(['B job-of-A', 'B job-of-B'])
    expect(await single.videos?.submit(signalOf())).toEqual({ jobId: 'job-of-B' })
  })
})
