/** What is no audio and no transcript is an error, whatever type it has; what is one is delivered, whatever it looks like. */
import { beforeEach, describe, expect, test } from 'vitest'
import { makeWav, WAV_HEADER_BYTES } from '../packages/server/testing/make-wav.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { streamedWavHeader } from '../packages/server/src/platform/audio/wav-header.ts'
import { type AudioStub, audioStubOf, CHARACTER, postForm, SECOND, audioOf, speak, WHISPER } from './audio-upstream.ts'
import { chargeOf } from './charge-of.ts'
import { refusalOf } from './error-of.ts'
import { eventsIn } from './events-of.ts'

const stub = useStubUpstream()
let audio: AudioStub
const gateway = useGateway(() => ({ upstreamUrl: stub.url }))

beforeEach(() => {
  audio = audioStubOf(stub)
})

const audioTypes = [
  'audio/mpeg',
  'audio/wav',
  'audio/ogg',
  'audio/flac',
  'audio/aac',
  'audio/pcm',
  'application/octet-stream',
]
const forms = ['mp3', 'wav', 'pcm'].flatMap((format) => [
  { response_format: format },
  { response_format: format, stream_format: 'sse' },
])

const tag = Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0])
const wavHeader = streamedWavHeader({ rate: 24_000, channels: 1 })

describe('an audio file', () => {
  test.each<[string, Buffer, string]>([
    ['an error object', Buffer.from('{"error":{"message":"later"}}'), '502 upstream_error'],
    ['an error object after a blank line', Buffer.from('\r\n{"error":{"message":"later"}}'), '502 upstream_error'],
    ['a page', Buffer.from('<!DOCTYPE html><html></html>'), '502 upstream_error'],
    ['a sentence', Buffer.from('upstream request timeout'), '502 upstream_error'],
    ['nothing', Buffer.alloc(0), '502 upstream_empty'],
    ['the header of a WAV alone', wavHeader, '502 upstream_empty'],
  ])('that is %s is an error under every type of audio, and free', async (_name, body, expected) => {
    for (const type of audioTypes) {
      for (const form of forms) {
        for (const isSplit of [false, true]) {
          audio.onSpeech = (_call, response) => {
            response.writeHead(200, { 'content-type': type })
            const cut = isSplit ? Math.min(3, body.length) : body.length
            response.write(body.subarray(0, cut), () => response.end(body.subarray(cut)))
          }
          const { result, charge } = await chargeOf(gateway, () => speak(gateway, { input: 'a', ...form }))
          expect([type, form, await refusalOf(result), charge]).toEqual([type, form, expected, 0n])
        }
      }
    }
  })

  test.each([
    ['a tag alone', tag],
    ['a header of FLAC alone', Buffer.concat([Buffer.from('fLaC'), Buffer.from([0x80, 0, 0, 34]), Buffer.alloc(34)])],
  ])('that is %s is an error, and free', async (_name, body) => {
    audio.onSpeech = (_call, response) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(body)
    const { result, charge } = await chargeOf(gateway, () => speak(gateway, { input: 'a' }))
    expect([await refusalOf(result), charge]).toEqual(['502 upstream_empty', 0n])
  })

  test('that comes after its header is delivered with it', async () => {
    audio.onSpeech = (_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write(tag, () => response.end(audioOf(500)))
    }
    const { result, charge } = await chargeOf(gateway, async () => (await speak(gateway, { input: 'a' })).arrayBuffer())
    expect(Buffer.from(result).equals(Buffer.concat([tag, audioOf(500)]))).toBe(true)
    expect(charge).toBe(CHARACTER)
  })

  test.each([
    ['its header', tag],
    ['a part of a text', Buffer.from('{"err')],
  ])('that breaks off within %s is an error, and free', async (_name, part) => {
    audio.onSpeech = (_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': '1000' })
      response.write(part, () => setImmediate(() => response.destroy()))
    }
    const { result, charge } = await chargeOf(gateway, () => speak(gateway, { input: 'a' }))
    expect([result.status, charge]).toEqual([502, 0n])
  })
})

function wavOf(seconds: number): File {
  return new File([new Uint8Array(makeWav(WAV_HEADER_BYTES + seconds * 8_000))], 'voice.wav', { type: 'audio/wav' })
}

function ask(fields: readonly (readonly [string, string])[]): Promise<Response> {
  return postForm(gateway, [['file', wavOf(3)], ['model', WHISPER], ...fields])
}

function answerWith(body: string, type: string): void {
  audio.onTranscription = (_call, response) => void response.writeHead(200, { 'content-type': type }).end(body)
}

describe('a transcript of plain text', () => {
  test.each([
    '{"a":1}',
    '{"error":null,"text":1}',
    '[1,2]',
    '"Quoted."',
    'He said: {"error":{"message":"no"}}',
    '{"error" is how it begins',
    'data: the new oil',
    'id: yours',
    ': a colon',
    'event: a party\ndata: none',
  ])('%j is what was said, in every form', async (said) => {
    for (const type of ['text/plain', 'text/plain; charset=utf-8']) {
      answerWith(said, type)
      const { result: plain, charge } = await chargeOf(gateway, () => ask([['response_format', 'text']]))
      expect([plain.status, await plain.text(), charge]).toEqual([200, `${said}\n`, 3n * SECOND])
      for (const format of ['json', 'verbose_json']) {
        const answer = await ask([['response_format', format]])
        expect(await answer.json()).toMatchObject({ text: said })
      }
      const events = eventsIn(await (await ask([['stream', 'true']])).text())
      expect(JSON.parse(events.at(-2) ?? '')).toMatchObject({ type: 'transcript.text.done', text: said })
      for (const format of ['srt', 'vtt']) {
        const { result, charge: none } = await chargeOf(gateway, () => ask([['response_format', format]]))
        expect([await refusalOf(result), none]).toEqual(['400 unsupported_format response_format', 0n])
      }
    }
  })

  test('a transcript in JSON may quote an error', async () => {
    const text = '{"error":{"message":"no","code":401}}'
    answerWith(JSON.stringify({ text, usage: { seconds: 3 } }), 'application/json')
    expect(await (await ask([])).json()).toMatchObject({ text })
  })

  test.each([
    '{"error":{"message":"no"}}',
    '{"error":"no"}',
    '{"object":"error","message":"no"}',
    '[{"error":{"code":500,"message":"no"}}]',
    '<!DOCTYPE html><html></html>',
  ])('%j is an error in every form, and free', async (body) => {
    for (const type of ['text/plain', 'text/vtt', 'application/x-subrip', 'application/json']) {
      answerWith(body, type)
      const wishes = ['text', 'json', 'verbose_json', 'srt', 'vtt'].map(
        (format) => ['response_format', format] as const,
      )
      for (const wish of [...wishes, ['stream', 'true'] as const]) {
        const { result, charge } = await chargeOf(gateway, () => ask([wish]))
        expect([type, wish, await refusalOf(result), charge]).toEqual([type, wish, '502 upstream_error', 0n])
      }
    }
  })
})
