/** POST /v1/audio/speech: bytes, prices, and what becomes of an audio file that fails. */
import { parseCredits } from '@svc/contract'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import {
  type AudioStub,
  audioStubOf,
  BYTE,
  CHARACTER,
  sendAudio,
  audioOf,
  speak,
  SPEECH,
  SPEECH_BY_BYTE,
} from './audio-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { errorOf, refusalOf } from './error-of.ts'
import { eventsIn } from './events-of.ts'
import { createGate } from './open-stream.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

const stub = useStubUpstream()
let audio: AudioStub
const gateway = useGateway(() => ({ upstreamUrl: stub.url }))

beforeEach(() => {
  audio = audioStubOf(stub)
})

/** The header with the charge, in nanocredits. */
function told(response: Response): bigint {
  return parseCredits(response.headers.get('x-svc-credits-charged') ?? '') ?? -1n
}

describe('the answer', () => {
  test('is the audio as it came, its charge in the headers', async () => {
    const speech = audioOf(300_000)
    audio.onSpeech = (_call, response) => sendAudio(response, speech)
    const { result, charge } = await chargeOf(gateway, async () => {
      const response = await speak(gateway, { input: 'Hello there.', voice: 'nova' })
      return { response, body: Buffer.from(await response.arrayBuffer()) }
    })
    expect(result.response.status).toBe(200)
    expect(result.response.headers.get('content-type')).toBe('audio/mpeg')
    expect(result.response.headers.get('x-svc-margin-bps')).toBe('2000')
    expect(result.response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(result.body.equals(speech)).toBe(true)
    // Case B089: an upstream's own headers stay here.
    expect(result.response.headers.get('x-generation-id')).toBeNull()
    expect([told(result.response), charge]).toEqual([12n * CHARACTER, 12n * CHARACTER])
  })

  // Case B097.
  test('leaves a record with what was counted', async () => {
    const { charge } = await chargeOf(gateway, async () =>
      (await speak(gateway, { input: 'x'.repeat(43) })).arrayBuffer(),
    )
    expect(charge).toBe(43n * CHARACTER)
    expect(await lastRecord(gateway)).toMatchObject({
      type: 'speech',
      status: 'ok',
      model: SPEECH,
      upstream_model: 'openai/gpt-4o-mini-tts-2025-12-15',
      basis: 'list',
      estimated: false,
      units: { kind: 'characters', quantity: 43 },
      credits_charged: 0.8772,
      pricing: { usd_per_unit: { characters: '0.000017' }, margin_bps: 2_000 },
    })
  })

  test.each([
    ['wav', 'audio/wav'],
    ['pcm', 'audio/pcm;rate=24000;channels=1'],
    ['mp3', 'audio/mpeg'],
  ])('in %s is %s', async (format, type) => {
    const samples = Buffer.concat([Buffer.from('{"no": "text"}'), Buffer.from([0, 128, 255, 127])])
    audio.onSpeech = (call, response) => {
      const isPcm = call.json?.['response_format'] === 'pcm'
      sendAudio(response, isPcm ? samples : audioOf(100), isPcm ? 'audio/pcm' : 'audio/mpeg')
    }
    const response = await speak(gateway, { input: 'a', response_format: format })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    const body = Buffer.from(await response.arrayBuffer())
    if (format === 'mp3') expect(body).toHaveLength(100)
    // Case B101: samples may begin like a text.
    else expect(body.subarray(format === 'wav' ? 44 : 0).equals(samples)).toBe(true)
    if (format === 'wav') expect(body.toString('latin1', 0, 4)).toBe('RIFF')
  })

  test.each(['pcm', 'wav', 'mp3'])(
    'that is an error under the type of an audio file is an error, and free (%s)',
    async (format) => {
      audio.onSpeech = (_call, response) =>
        sendAudio(response, Buffer.from('{"error":{"message":"later"}}'), 'audio/pcm')
      const { result, charge } = await chargeOf(gateway, () => speak(gateway, { input: 'a', response_format: format }))
      expect([result.status >= 500, charge]).toEqual([true, 0n])
    },
  )

  test('comes while it is made, and its last piece only once it is charged', async () => {
    const [more, end] = [createGate(), createGate()]
    audio.onSpeech = async (_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      response.write(audioOf(1_000))
      await more.opened
      response.write(audioOf(2_000))
      await end.opened
      response.end(audioOf(3_000))
    }
    const response = await speak(gateway, { input: 'a' })
    const reader = response.body!.getReader()
    more.open()
    const first = await reader.read()
    expect(first.value?.length).toBe(1_000)
    const before = await gateway.balance()
    expect(before.held).toBeGreaterThan(0n)
    end.open()
    let length = 1_000
    for (let read = await reader.read(); !read.done; read = await reader.read()) length += read.value.length
    expect(length).toBe(6_000)
    // The last byte is here, so the charge is in the books.
    expect(await gateway.balance()).toEqual({ posted: before.posted - CHARACTER, held: 0n })
  })

  test('as events ends with usage and charge', async () => {
    const speech = audioOf(200_000)
    audio.onSpeech = (_call, response) => sendAudio(response, speech)
    const response = await speak(gateway, { input: 'Hi 🙂', stream_format: 'sse' })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = eventsIn(await response.text())
    expect(events.pop()).toBe('[DONE]')
    const frames = events.map((data) => JSON.parse(data) as Record<string, unknown>)
    expect(frames.pop()).toEqual({
      type: 'speech.audio.done',
      usage: { type: 'characters', characters: 4, input_tokens: 0, output_tokens: 0, total_tokens: 0 },
      svc: { credits_charged: 0.0816, margin_bps: 2_000 },
    })
    expect(frames.every((frame) => frame['type'] === 'speech.audio.delta')).toBe(true)
    const bytes = Buffer.concat(frames.map((frame) => Buffer.from(String(frame['audio']), 'base64')))
    expect(bytes.equals(speech)).toBe(true)
    expect(audio.speeches.at(-1)?.json?.['stream_format'] ?? null).toBeNull()
  })
})

describe('what reaches the upstream', () => {
  test('is the very request, with the model, the format and the voice that it knows', async () => {
    const rest = '"voice":"nova","speed":1.50,"seed":12345678901234567890}'
    const text = `{"model":"${SPEECH}","input":"a \\ud83d\\ude42",${rest}`
    const response = await speak(gateway, {}, { body: text })
    expect(response.status).toBe(200)
    expect(audio.speeches.at(-1)?.text).toBe(
      `{"response_format":"mp3",${text.slice(1).replace(SPEECH, 'openai/gpt-4o-mini-tts-2025-12-15')}`,
    )
  })

  test('OpenAI’s voices map to those of a model that has others; unknown ones are refused with a list', async () => {
    const model = 'mistralai/voxtral-mini-tts-2603'
    await speak(gateway, { model, input: 'a', voice: 'alloy' })
    await speak(gateway, { model, input: 'a', voice: 'fr_marie_sad' })
    await speak(gateway, { model, input: 'a' })
    const voices = audio.speeches.map(({ json }) => json?.['voice'])
    expect(voices).toEqual(['en_paul_neutral', 'fr_marie_sad', 'en_paul_neutral'])
    const refused = await errorOf(await speak(gateway, { model, input: 'a', voice: 'darth' }))
    expect(refused).toMatchObject({ code: 'invalid_value', param: 'voice' })
    expect(refused.message).toContain('en_paul_neutral')
  })

  test('instructions go where the upstream takes them', async () => {
    await speak(gateway, { input: 'a', instructions: 'Whisper.' })
    expect(audio.speeches.at(-1)?.json?.['provider']).toEqual({ options: { openai: { instructions: 'Whisper.' } } })
  })
})

// Case B099: one stated unit in hold, charge, usage and documentation.
describe('characters are Unicode code points', () => {
  test.each([
    ['a b 🙂好', 6],
    ['\u{1f468}\u200d\u{1f469}\u200d\u{1f467}', 5],
    ['e\u0301', 2],
    ['   x', 4],
  ])('%j has %i', async (input, characters) => {
    const { result, charge } = await chargeOf(gateway, async () => {
      const response = await speak(gateway, { input })
      await response.arrayBuffer()
      return response
    })
    expect([told(result), charge]).toEqual([BigInt(characters) * CHARACTER, BigInt(characters) * CHARACTER])
    expect((await lastRecord(gateway)).units).toEqual({ kind: 'characters', quantity: characters })
  })

  test('and bytes of UTF-8 for a model that is sold by the byte', async () => {
    const { charge } = await chargeOf(gateway, async () =>
      (await speak(gateway, { model: SPEECH_BY_BYTE, input: 'a b 🙂好' })).arrayBuffer(),
    )
    expect(charge).toBe(11n * BYTE)
    expect((await lastRecord(gateway)).units).toEqual({ kind: 'bytes', quantity: 11 })
  })
})

describe('a request is refused and free', () => {
  test.each([
    ['no input', {}, '400 missing_required_parameter input'],
    ['an empty input', { input: '' }, '400 empty_content input'],
    ['a blank input', { input: ' \n ' }, '400 empty_content input'],
    ['4,097 characters', { input: '🙂'.repeat(4_097) }, '400 invalid_value input'],
    ['an unknown model', { input: 'a', model: 'nobody' }, '404 model_not_found model'],
    ['a model that chats', { input: 'a', model: 'svc-gpt' }, '400 invalid_value model'],
    ['too fast a speed', { input: 'a', speed: 4.1 }, '400 invalid_value speed'],
    ['an unknown format', { input: 'a', response_format: 'midi' }, '400 invalid_value response_format'],
    ['a format that it lacks', { input: 'a', response_format: 'flac' }, '400 unsupported_format response_format'],
    ['another route', { input: 'a', provider: { only: ['x'] } }, '400 unsupported_parameter provider'],
    ['another spelling', { input: 'a', Model: 'x' }, '400 unsupported_parameter Model'],
  ])('%s', async (_name, body, expected) => {
    const { result, charge } = await chargeOf(gateway, () => speak(gateway, body))
    expect(await refusalOf(result)).toBe(expected)
    expect([charge, audio.speeches.length]).toEqual([0n, 0])
  })

  test('4,096 characters are spoken, whatever they are', async () => {
    expect((await speak(gateway, { input: '🙂'.repeat(4_096) })).status).toBe(200)
  })

  test('without a key, and with a form in place of JSON', async () => {
    expect((await speak(gateway, { input: 'a' }, { headers: { authorization: 'Bearer x' } })).status).toBe(401)
    const form = await speak(gateway, {}, { headers: { 'content-type': 'multipart/form-data; boundary=x' } })
    expect(await errorOf(form)).toMatchObject({ code: 'unsupported_media_type' })
  })
})

describe('an upstream that fails before the first audio costs nothing', () => {
  const json = 'application/json'
  // Case B101.
  test.each<[string, [number, string], string, string]>([
    ['a page of HTML', [200, 'text/html'], '<html>', '502 upstream_error'],
    ['an error that says 200', [200, json], '{"error":{"message":"no","code":500}}', '502 upstream_error'],
    ['JSON that says nothing', [200, json], '{}', '502 upstream_error'],
    ['JSON that calls itself audio', [200, 'audio/mpeg'], '{"error":{}}', '502 upstream_error'],
    ['no byte at all', [200, 'audio/mpeg'], '', '502 upstream_empty'],
    ['too many requests', [429, json], '{"error":{"message":"slow"}}', '503 server_is_overloaded'],
    ['our own lack of credit', [402, json], '{"error":{"message":"pay"}}', '503 upstream_unavailable'],
    ['a refusal', [400, json], '{"error":{"message":"bad voice"}}', '400 upstream_rejected_request'],
  ])('%s', async (_name, [upstreamStatus, type], body, expected) => {
    audio.onSpeech = (_call, response) => void response.writeHead(upstreamStatus, { 'content-type': type }).end(body)
    const { result, charge } = await chargeOf(gateway, () => speak(gateway, { input: 'a' }))
    expect([await refusalOf(result), charge]).toEqual([expected, 0n])
    expect(await lastRecord(gateway)).toMatchObject({
      type: 'speech',
      status: 'error',
      error_code: expected.split(' ')[1],
    })
  })
})

describe('an audio file that breaks off', () => {
  test('breaks the answer, and the part that came is charged as an estimate', async () => {
    const input = 'x'.repeat(1_000)
    audio.onSpeech = (_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': '1000000' })
      // Two seconds at 16,000 bytes a second.
      response.write(audioOf(32_000), () => setImmediate(() => response.destroy()))
    }
    const { result, charge } = await chargeOf(gateway, async () => {
      const response = await speak(gateway, { input })
      return response.arrayBuffer().then(
        () => 'whole',
        () => 'broken',
      )
    })
    expect(result).toBe('broken')
    expect(charge).toBe(30n * CHARACTER)
    expect(await lastRecord(gateway)).toMatchObject({
      status: 'incomplete',
      estimated: true,
      error_code: 'upstream_error',
    })
  })

  test('at its very first bytes is charged as little as can be, and harms no other client', async () => {
    audio.onSpeech = (call, response) => {
      const { socket } = response
      const first = 'HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\ncontent-length: 1000000\r\n\r\n\xff\xfb'
      // In one packet, so that the audio and its end are seen together.
      socket?.end(Buffer.from(first, 'latin1'))
      return call.closed
    }
    const { charge } = await chargeOf(gateway, async () => {
      const response = await speak(gateway, { input: 'x'.repeat(1_000) }).catch(() => null)
      await response?.arrayBuffer().catch(() => undefined)
    })
    expect(charge).toBe(CHARACTER)
  })

  test('for a caller who left before it began is charged whole: it was made for them', async () => {
    const client = new AbortController()
    audio.onSpeech = async (_call, response) => {
      const seen = gateway.logged.length
      client.abort()
      await eventually(() => expect(gateway.logged.slice(seen).join('')).toContain('"status":499'))
      sendAudio(response, audioOf(1_000))
    }
    const { charge } = await chargeOf(gateway, () =>
      speak(gateway, { input: 'Hello' }, { signal: client.signal }).catch(() => undefined),
    )
    expect(charge).toBe(5n * CHARACTER)
    expect(await lastRecord(gateway)).toMatchObject({ status: 'cancelled' })
  })

  test('ends a stream of events with an error', async () => {
    audio.onSpeech = (_call, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg', 'content-length': '1000000' })
      response.write(audioOf(1_000), () => setImmediate(() => response.destroy()))
    }
    const events = eventsIn(await (await speak(gateway, { input: 'Hello', stream_format: 'sse' })).text())
    expect(events.at(-1)).toBe('[DONE]')
    expect(JSON.parse(events.at(-2) ?? '')).toMatchObject({ error: { code: 'upstream_error' } })
  })

  test('because the caller has left is charged whole, and the upstream is stopped', async () => {
    const stopped = createGate()
    audio.onSpeech = (call, response) => {
      response.writeHead(200, { 'content-type': 'audio/mpeg' })
      void call.closed.then(() => stopped.open())
      const write = (): void => {
        while (!response.destroyed && response.write(audioOf(65_536))) continue
      }
      response.on('drain', write)
      write()
    }
    const client = new AbortController()
    const { charge } = await chargeOf(gateway, async () => {
      const response = await speak(gateway, { input: 'Hello' }, { signal: client.signal })
      await response.body!.getReader().read()
      client.abort()
      await stopped.opened
    })
    expect(charge).toBe(5n * CHARACTER)
    await eventually(async () => expect(await lastRecord(gateway)).toMatchObject({ status: 'cancelled' }))
  })
})

test('a reader who is slow slows the upstream down', async () => {
  let sent = 0
  audio.onSpeech = (_call, response) => {
    response.writeHead(200, { 'content-type': 'audio/mpeg' })
    const write = (): void => {
      while (sent < 64 * 1_048_576 && !response.destroyed) {
        sent += 65_536
        if (!response.write(audioOf(65_536))) return
      }
      response.end()
    }
    response.on('drain', write)
    write()
  }
  const client = new AbortController()
  await speak(gateway, { input: 'a' }, { signal: client.signal })
  let before = -1
  // The client does not read, so the upstream comes to a halt long before its end.
  await vi.waitUntil(
    () => {
      const isQuiet = sent === before
      before = sent
      return isQuiet
    },
    { timeout: 10_000, interval: 200 },
  )
  expect(sent).toBeLessThan(32 * 1_048_576)
  client.abort()
  await gateway.settled()
})
