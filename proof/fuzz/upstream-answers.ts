/** What an upstream that works would answer to each of its addresses. The hostile one spoils these. */
import fc from 'fast-check'
import { IMAGE } from '../../packages/server/testing/stub-images.ts'
import { makeWav } from '../../packages/server/testing/make-wav.ts'
import { dialect, textDialect } from '../odd-upstreams/dialect.ts'
import { streamedAnswer, wholeAnswer } from '../odd-upstreams/said-answer.ts'
import { oneIn, weighted } from './draw.ts'
import { chatChunks, completion } from './chat-answers.ts'
import { claudeEvents, claudeMessage, geminiAnswer, geminiChunks } from './native-answers.ts'

/** What was asked. */
export interface UpstreamCall {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** The body where it is JSON, else an empty object. */
  readonly body: Readonly<Record<string, unknown>>
  readonly wantsStream: boolean
}

export interface RightAnswer {
  /** The JSON of an answer that is whole. */
  readonly whole: unknown
  /** The JSON of events; null where this address never streams. */
  readonly events: readonly unknown[] | null
  /** A body that is no JSON; null where there is none. */
  readonly file: { readonly type: string; readonly bytes: Buffer } | null
}

type Answerer = (call: UpstreamCall) => RightAnswer | fc.Arbitrary<RightAnswer>

const AUDIO = makeWav(4_000)
/** Frames of MPEG audio, layer III, that hold silence. */
const MP3 = Buffer.concat(
  Array.from({ length: 12 }, () => Buffer.concat([Buffer.from('fffb90c4', 'hex'), Buffer.alloc(413)])),
)
const VIDEO = Buffer.concat([
  Buffer.from('\0\0\0\u0018ftypisom\0\0\u0002\0isomiso2', 'latin1'),
  Buffer.alloc(20_000, 7),
])

const json = (whole: unknown, events: readonly unknown[] | null = null): RightAnswer => ({ whole, events, file: null })
const file = (type: string, bytes: Buffer): RightAnswer => ({
  whole: { ok: true },
  events: null,
  file: { type, bytes },
})

/** In OpenAI's own way, or in one of the ways of servers that are compatible with it. */
const chat: fc.Arbitrary<RightAnswer> = weighted(
  [1, fc.constant(json(completion, chatChunks))],
  [
    1,
    dialect.map((own) => json(wholeAnswer(own), [...streamedAnswer(own).map(({ value }) => value), chatChunks.at(-1)])),
  ],
)

/** As servers complete texts by a path of their own. */
const completedText: fc.Arbitrary<RightAnswer> = dialect.map((own) => {
  const said = textDialect(own, true)
  return json(wholeAnswer(said), [...streamedAnswer(said).map(({ value }) => value), chatChunks.at(-1)])
})

function embeddings({ body }: UpstreamCall): RightAnswer {
  const { input } = body
  const texts: readonly unknown[] = Array.isArray(input) ? input.slice(0, 2_100) : [input]
  const data = texts.map((_text, index) => ({ object: 'embedding', index, embedding: [0.25, -0.5, 1, 0] }))
  return json({
    object: 'list',
    data,
    model: 'stub-embed',
    usage: { prompt_tokens: 7, total_tokens: 7, cost: 0.000001 },
  })
}

function geminiEmbeddings({ body }: UpstreamCall): RightAnswer {
  const asked = Array.isArray(body['requests']) ? body['requests'].slice(0, 2_100) : [null]
  return json({ embeddings: asked.map(() => ({ values: [0.25, -0.5, 1] })), usageMetadata: { promptTokenCount: 7 } })
}

const imageUsage = { prompt_tokens: 7, completion_tokens: 4_175, total_tokens: 4_182, cost: 0.04 }

function images(): RightAnswer {
  const data = [{ b64_json: IMAGE, media_type: 'image/png', revised_prompt: 'A lighthouse' }]
  const image = { b64_json: IMAGE, media_type: 'image/png', created: 1_795_813_200 }
  return json({ created: 1_795_813_200, data, size: '1024x1024', output_format: 'png', usage: imageUsage }, [
    { type: 'image_generation.partial_image', partial_image_index: 0, b64_json: IMAGE },
    { type: 'image_edit.partial_image', partial_image_index: 1, b64_json: IMAGE },
    { type: 'image_generation.completed', ...image, usage: imageUsage },
  ])
}

function speech({ body }: UpstreamCall): RightAnswer {
  const format = body['response_format']
  if (format === 'wav') return file('audio/wav', AUDIO)
  return format === 'pcm' ? file('audio/pcm;rate=24000;channels=1', AUDIO.subarray(44)) : file('audio/mpeg', MP3)
}

const segment = { id: 0, seek: 0, start: 0, end: 1, text: 'Hello.', tokens: [1, 2], temperature: 0, avg_logprob: -0.1 }

function transcript(): fc.Arbitrary<RightAnswer> {
  const usage = { type: 'duration', seconds: 1, cost: 0.0001 }
  const words = [{ word: 'Hello', start: 0, end: 0.5 }]
  const whole = {
    task: 'transcribe',
    language: 'english',
    duration: 0.5,
    text: 'Hello.',
    segments: [segment],
    words,
    usage,
  }
  const events = [
    { type: 'transcript.text.delta', delta: 'Hel', logprobs: [{ token: 'Hel', logprob: -1, bytes: [72] }] },
    { type: 'transcript.text.segment', ...segment, speaker: 'A' },
    { type: 'transcript.text.done', text: 'Hello.', usage },
  ]
  const text = { type: 'text/plain', bytes: Buffer.from('Hello.') }
  return oneIn(12).map((isText) => ({ whole, events, file: isText ? text : null }))
}

/** As Cohere or Jina writes it. */
function ranking({ body }: UpstreamCall): RightAnswer {
  const { documents } = Object(body) as { readonly documents?: unknown }
  const all = Array.isArray(documents) ? documents : [null]
  const results = all.map((_document, index) => ({ index, relevance_score: 1 / (index + 2) }))
  return json({ results, usage: { total_tokens: 7 }, meta: { billed_units: { search_units: 1 } } })
}

function moderation({ body }: UpstreamCall): RightAnswer {
  const { input } = Object(body) as { readonly input?: unknown }
  const texts: readonly unknown[] =
    Array.isArray(input) && typeof input[0] === 'string' ? input.slice(0, 2_100) : [input]
  const result = { flagged: true, categories: { violence: true }, category_scores: { violence: 0.9 } }
  return json({ id: 'modr-1', results: texts.map(() => result) })
}

const videoState = fc.record({
  id: fc.nat(999_999).map((number) => `job-${number}`),
  status: fc.constantFrom(...['pending', 'in_progress', 'completed', 'completed', 'completed', 'failed', 'cancelled']),
  progress: fc.constantFrom(0, 50, 100),
})

function video({ path }: UpstreamCall): fc.Arbitrary<RightAnswer> {
  const [, asked] = /\/videos\/([^/]+)/.exec(path) ?? []
  return videoState.map(({ id: made, status, progress }) => {
    const id = asked ?? made
    return json({
      ...{ id, object: 'video', status, progress, polling_url: `/v1/videos/${id}` },
      ...(status === 'completed' ? { unsigned_urls: [`/v1/videos/${id}/content?index=0`] } : {}),
      ...(status === 'failed' ? { error: { code: 'moderation_blocked', message: 'No.' } } : {}),
      usage: { cost: 0.6, is_byok: false },
    })
  })
}

/** The first that fits answers. Listings are right always: they are read once, at the start. */
const answerers: readonly (readonly [RegExp, Answerer])[] = [
  [/\/chat\/completions$/, () => chat],
  [/\/(?:fim\/)?completions$/, () => completedText],
  [/\/messages$/, () => json(claudeMessage, claudeEvents)],
  [/\/messages\/count_tokens$/, () => json({ input_tokens: 12 })],
  [/:(?:streamG|g)enerateContent$/, () => json(geminiAnswer, geminiChunks)],
  [/:countTokens$/, () => json({ totalTokens: 12 })],
  [/:batchEmbedContents$/, geminiEmbeddings],
  [/\/embeddings$/, embeddings],
  [/\/rerank$/, ranking],
  [/\/moderations$/, moderation],
  [/\/images(?:\/generations|\/edits)?$/, images],
  [/\/audio\/speech$/, speech],
  [/\/audio\/(?:transcriptions|translations)$/, transcript],
  [/\/videos\/[^/]+\/content$/, () => file('video/mp4', VIDEO)],
  [/\/videos(?:\/(?!models)[^/]+)?$/, video],
  [/\/generation$/, () => json({ data: { id: 'gen-1', total_cost: 0.0002, is_byok: false } })],
]

/** @returns null for an address that the upstream does not have. */
export function rightAnswer(call: UpstreamCall): fc.Arbitrary<RightAnswer> | null {
  const answer = answerers.find(([pattern]) => pattern.test(call.path))?.[1](call)
  if (answer === undefined) return null
  return 'whole' in answer ? fc.constant(answer) : answer
}
