/** The official clients, unmodified, with audio. */
import { createOpenAI } from '@ai-sdk/openai'
import { experimental_generateSpeech as generateSpeech, experimental_transcribe as transcribe } from 'ai'
import OpenAI, { toFile } from 'openai'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeWav } from '../packages/server/testing/make-wav.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { type AudioStub, audioStubOf, formOf, sendAudio, audioOf, SPEECH, verbose, WHISPER } from './audio-upstream.ts'
import { failureOf, svcOf } from './charge-of.ts'

/** One second. */
const WAV = makeWav(8_044)

const stub = useStubUpstream()
let audio: AudioStub
beforeEach(() => {
  audio = audioStubOf(stub)
})

describe('with OpenRouter’s models', () => {
  const gateway = useGateway(() => ({ upstreamUrl: stub.url }))
  let client: OpenAI
  beforeAll(() => {
    client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
  })

  test('openai.audio.speech.create', async () => {
    const speech = audioOf(100_000)
    audio.onSpeech = (_call, response) => sendAudio(response, speech)
    const response = await client.audio.speech.create({ model: SPEECH, input: 'Hello', voice: 'coral', speed: 1.25 })
    expect(Buffer.from(await response.arrayBuffer()).equals(speech)).toBe(true)
    expect(response.headers.get('x-svc-credits-charged')).toBe('0.102')
    expect(audio.speeches[0]?.json).toMatchObject({ voice: 'coral', speed: 1.25, response_format: 'mp3' })
  })

  test('openai.audio.speech.create, refused', async () => {
    const failed = await failureOf(client.audio.speech.create({ model: SPEECH, input: ' ', voice: 'coral' }))
    expect(failed).toMatchObject({ status: 400, code: 'empty_content', param: 'input' })
  })

  test('openai.audio.transcriptions.create, json', async () => {
    const file = await toFile(WAV, 'hello.wav')
    const answer = await client.audio.transcriptions.create({ model: WHISPER, file, language: 'en' })
    expect(answer).toMatchObject({ text: verbose.text, usage: { type: 'duration', seconds: 1 } })
    expect(svcOf(answer)).toMatchObject({ credits_charged: 0.12, margin_bps: 2_000 })
    const form = await formOf(audio.transcriptions[0]!)
    expect([form.get('language'), (form.get('file') as File).name]).toEqual(['en', 'hello.wav'])
  })

  test('openai.audio.transcriptions.create, verbose_json', async () => {
    const answer = await client.audio.transcriptions.create({
      model: WHISPER,
      file: await toFile(WAV, 'hello.wav'),
      response_format: 'verbose_json',
      timestamp_granularities: ['segment', 'word'],
    })
    expect(answer.segments?.map(({ text }) => text)).toEqual(verbose.segments.map(({ text }) => text))
    expect(answer.duration).toBe(3)
  })

  test.each([
    ['text', verbose.text],
    ['srt', '00:00:01,500 --> 00:00:02,250'],
    ['vtt', 'WEBVTT'],
  ] as const)('openai.audio.transcriptions.create, %s', async (format, part) => {
    const file = await toFile(WAV, 'hello.wav')
    const answer = await client.audio.transcriptions.create({ model: WHISPER, file, response_format: format })
    expect(typeof answer).toBe('string')
    expect(answer).toContain(part)
  })

  test('openai.audio.transcriptions.create, streamed', async () => {
    const file = await toFile(WAV, 'hello.wav')
    const stream = await client.audio.transcriptions.create({ model: WHISPER, file, stream: true })
    const events = []
    for await (const event of stream) events.push(event)
    expect(events.map(({ type }) => type)).toEqual(['transcript.text.delta', 'transcript.text.done'])
    expect(svcOf(events.at(-1))).toMatchObject({ credits_charged: 0.12 })
  })

  test('generateSpeech of the AI SDK with @ai-sdk/openai', async () => {
    const openai = createOpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
    const { audio: made } = await generateSpeech({ model: openai.speech(SPEECH), text: 'Hello' })
    expect([made.mediaType, made.uint8Array.length]).toEqual(['audio/mpeg', 1_000])
    expect(audio.speeches[0]?.json).toMatchObject({ voice: 'alloy', response_format: 'mp3' })
  })

  test('transcribe of the AI SDK with @ai-sdk/openai', async () => {
    const openai = createOpenAI({ baseURL: gateway.v1, apiKey: gateway.key })
    const providerOptions = { openai: { responseFormat: 'verbose_json' } }
    const result = await transcribe({
      model: openai.transcription(WHISPER),
      audio: new Uint8Array(WAV),
      providerOptions,
    })
    expect(result.text).toBe(verbose.text)
    expect(result.segments).toEqual(
      verbose.segments.map(({ start, end, text }) => ({ startSecond: start, endSecond: end, text })),
    )
    expect(result.durationInSeconds).toBe(3)
  })
})

describe('with an OpenAI-compatible server', () => {
  const gateway = useGateway(() => ({
    upstreamUrl: stub.url,
    kind: 'openai-compatible',
    file: {
      media_prices: {
        'tts-1': { type: 'speech', per_character: '0.000015' },
        'gpt-4o-transcribe': { type: 'transcription', per_minute: '0.006' },
      },
    },
  }))
  let client: OpenAI
  beforeAll(() => {
    client = new OpenAI({ baseURL: gateway.v1, apiKey: gateway.key, maxRetries: 0 })
  })

  test.each([
    ['opus', 'audio/opus'],
    ['aac', 'audio/aac'],
    ['flac', 'audio/flac'],
    ['wav', 'audio/wav'],
  ] as const)('speech in %s is asked for and told as it is', async (format, type) => {
    audio.onSpeech = (_call, response) => sendAudio(response, audioOf(10), 'application/octet-stream')
    const response = await client.audio.speech.create({
      model: 'tts-1',
      input: 'Hello',
      voice: 'custom',
      response_format: format,
    })
    expect([response.headers.get('content-type'), response.headers.get('x-svc-credits-charged')]).toEqual([
      type,
      '0.09',
    ])
    expect(audio.speeches[0]?.json).toMatchObject({ model: 'tts-1', voice: 'custom', response_format: format })
  })

  test('openai.audio.translations.create', async () => {
    const file = await toFile(WAV, 'hallo.wav')
    const answer = await client.audio.translations.create({ model: 'gpt-4o-transcribe', file })
    expect(answer).toMatchObject({ text: verbose.text })
    expect(audio.transcriptions[0]?.path).toBe('/v1/audio/translations')
  })

  test('a transcript comes piece by piece, the charge with its last event', async () => {
    const words = ['The ', 'quick ', 'fox']
    audio.onTranscription = (_call, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const send = (event: object): void => void response.write(`data: ${JSON.stringify(event)}\n\n`)
      for (const delta of words) send({ type: 'transcript.text.delta', delta })
      send({ type: 'transcript.text.done', text: words.join(''), usage: { type: 'tokens', total_tokens: 9 } })
      response.end()
    }
    const file = await toFile(WAV, 'hello.wav')
    const stream = await client.audio.transcriptions.create({ model: 'gpt-4o-transcribe', file, stream: true })
    const events = []
    for await (const event of stream) events.push(event)
    expect(events.slice(0, 3)).toEqual(words.map((delta) => ({ type: 'transcript.text.delta', delta })))
    expect(events.at(-1)).toMatchObject({ text: 'The quick fox', usage: { type: 'tokens', seconds: 1 } })
    expect(svcOf(events.at(-1))).toMatchObject({ credits_charged: 0.12 })
    expect((await formOf(audio.transcriptions[0]!)).get('stream')).toBe('true')
  })
})
