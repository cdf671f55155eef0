/** Every kind of request that is paid for, as the clients of the rounds send it, and what its models cost. */
import type { ConfigFile } from '../../../packages/server/src/config/config-file.ts'
import { makeWav, WAV_HEADER_BYTES } from '../../../packages/server/testing/make-wav.ts'
import { createRandom } from '../../../packages/server/testing/random.ts'
import { tagText } from '../answer-plan.ts'

export const kinds = [
  'chat',
  'chat_stream',
  'completion',
  'completion_stream',
  'response',
  'response_stream',
  'message',
  'message_stream',
  'embeddings',
  'rerank',
  'moderation',
  'images',
  'images_stream',
  'speech',
  'speech_events',
  'transcription',
  'transcription_stream',
  'video',
] as const
export type PaidKind = (typeof kinds)[number]

/** A request as it is sent, byte for byte: who asks again sends the same. */
export interface PaidRequest {
  readonly path: string
  readonly contentType: string
  readonly body: Buffer
}

/** Prices in millionths of a millionth of a USD, by token, character and second of audio. */
export const PICO_USD = { token: 1_000_000n, character: 10_000_000n, second: 800_000_000n } as const
/** Audio of the rounds has so many samples a second. */
const SAMPLES_PER_SECOND = 1_000

/** What is served at which price: chats by an upstream that reports what they have cost, the rest by another. */
export function paidRoutes(talker: string, maker: string): NonNullable<ConfigFile['routes']> {
  const at = (model: string, price: object, upstream = maker) => ({
    [model]: { targets: [{ upstream, model, ...price }] },
  })
  const tokens = { price: { input: '1', output: '1' } }
  return {
    ...at('talks', tokens, talker),
    ...at('embeds', tokens),
    ...at('ranks', tokens),
    ...at('moderates', tokens),
    ...at('paints', { media_price: { type: 'image', per_image: '0.001' } }),
    ...at('speaks', { media_price: { type: 'speech', per_character: '0.00001' } }),
    ...at('hears', { media_price: { type: 'transcription', per_second: '0.0008' } }),
    ...at('films', { media_price: { type: 'video', per_second: '0.001' } }),
  }
}

/** Whether its answer is an event stream. */
export function isStream(kind: PaidKind): boolean {
  return kind.endsWith('_stream') || kind === 'speech_events'
}

/** The text that a speech request has spoken: as long as its tag says, so that no two of a round cost the same. */
function spoken(tag: number): string {
  return `Say ${tagText(tag)} ${'a'.repeat(10 + (tag % 1_000))}`
}

/** Characters that a speech request is charged for. */
export function charactersOf(tag: number): bigint {
  return BigInt(spoken(tag).length)
}

/** Seconds of the audio that a transcription request brings: as many as its tag says. */
export function secondsOf(tag: number): number {
  return 1 + (tag % 50)
}

function json(path: string, body: object): PaidRequest {
  return { path, contentType: 'application/json', body: Buffer.from(JSON.stringify(body)) }
}

function form(path: string, tag: number, fields: Readonly<Record<string, string>>): PaidRequest {
  const boundary = `form-of-${tag}`
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n`
  const audio = makeWav(WAV_HEADER_BYTES + secondsOf(tag) * SAMPLES_PER_SECOND, SAMPLES_PER_SECOND)
  return {
    path,
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(texts.join('') + file), audio, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}

/** Makes the request of a tag. */
export function requestOf(kind: PaidKind, seed: number, tag: number): PaidRequest {
  const random = createRandom((seed ^ Math.imul(tag, 48_271)) >>> 0)
  const prompt = `${'please '.repeat(random.below(20))}answer ${tagText(tag)}`
  const stream = isStream(kind) ? { stream: true } : {}
  const limit = random.below(2) === 0 ? 2_000 : null
  const max = limit === null ? {} : { max_tokens: limit }
  const messages = [{ role: 'user', content: prompt }]
  switch (kind) {
    case 'chat':
    case 'chat_stream':
      return json('/v1/chat/completions', { model: 'talks', messages, ...stream, ...max })
    case 'completion':
    case 'completion_stream':
      return json('/v1/completions', { model: 'talks', prompt, max_tokens: limit ?? 4_000, ...stream })
    case 'response':
    case 'response_stream': {
      const maxOutput = limit === null ? {} : { max_output_tokens: limit }
      return json('/v1/responses', { model: 'talks', input: prompt, store: false, ...stream, ...maxOutput })
    }
    case 'message':
    case 'message_stream':
      return json('/v1/messages', { model: 'talks', messages, max_tokens: limit ?? 4_000, ...stream })
    case 'embeddings':
      return json('/v1/embeddings', { model: 'embeds', input: prompt })
    case 'rerank':
      return json('/v1/rerank', { model: 'ranks', query: prompt, documents: [prompt] })
    case 'moderation':
      return json('/v1/moderations', { model: 'moderates', input: prompt })
    case 'images':
    case 'images_stream':
      return json('/v1/images/generations', {
        ...{ model: 'paints', prompt, ...stream },
        ...(kind === 'images_stream' ? { partial_images: 1 } : {}),
      })
    case 'speech':
    case 'speech_events': {
      const events = kind === 'speech_events' ? { stream_format: 'sse' } : {}
      return json('/v1/audio/speech', { model: 'speaks', voice: 'nova', input: spoken(tag), ...events })
    }
    case 'transcription':
    case 'transcription_stream': {
      const streamed: Record<string, string> = kind === 'transcription_stream' ? { stream: 'true' } : {}
      return form('/v1/audio/transcriptions', tag, { model: 'hears', prompt, ...streamed })
    }
    case 'video':
      return json('/v1/videos/generations', { model: 'films', prompt, duration: 4 })
  }
}
