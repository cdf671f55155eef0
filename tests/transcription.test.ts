/** POST /v1/audio/transcriptions and translations: forms, formats, prices, and what becomes of those that fail. */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { AUDIO_BYTES_MAX } from '@svc/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { makeAudio } from '../packages/server/testing/make-audio.ts'
import { makeWav, WAV_HEADER_BYTES } from '../packages/server/testing/make-wav.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import {
  type AudioStub,
  audioStubOf,
  formOf,
  hear,
  postForm,
  SECOND,
  segments,
  sendJson,
  verbose,
  WHISPER,
} from './audio-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'
import { errorOf, refusalOf } from './error-of.ts'
import { eventsIn } from './events-of.ts'
import { eventually } from '../packages/server/testing/eventually.ts'

const stub = useStubUpstream()
let audio: AudioStub
const gateway = useGateway(() => ({ upstreamUrl: stub.url, file: { limits: { upload_stall_ms: 2_000 } } }))

beforeEach(() => {
  audio = audioStubOf(stub)
})

/** Eight kilobytes a second, so lengths can be chosen by the byte. */
function wavOf(seconds: number): File {
  return new File([new Uint8Array(makeWav(WAV_HEADER_BYTES + seconds * 8_000))], 'voice.wav', { type: 'audio/wav' })
}

type Field = readonly [string, string | File]

function ask(fields: readonly Field[] = [], path?: string): Promise<Response> {
  const own: Field[] = [
    ['file', wavOf(3)],
    ['model', WHISPER],
  ]
  return postForm(gateway, [...own.filter(([name]) => !fields.some(([given]) => given === name)), ...fields], path)
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

describe('the formats', () => {
  test('json holds the text, the seconds and the charge', async () => {
    const { result, charge } = await chargeOf(gateway, () => ask())
    expect(result.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(result.headers.get('x-svc-credits-charged')).toBe('0.36')
    expect(await result.json()).toEqual({
      text: verbose.text,
      usage: { type: 'duration', seconds: 3 },
      svc: { credits_charged: 0.36, margin_bps: 2_000, estimated: true },
    })
    expect(charge).toBe(3n * SECOND)
    expect(await lastRecord(gateway)).toMatchObject({
      type: 'transcription',
      status: 'ok',
      basis: 'estimate',
      estimated: true,
      units: { kind: 'seconds', quantity: 3 },
      pricing: { usd_per_unit: { seconds: '0.0001' } },
    })
  })

  test('verbose_json has all ten fields of each segment', async () => {
    const answer = await (await ask([['response_format', 'verbose_json']])).json()
    expect(answer).toEqual({
      task: 'transcribe',
      language: 'english',
      duration: 3,
      text: verbose.text,
      segments: segments.map((segment, id) => ({
        ...segment,
        ...{ id, seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 0, no_speech_prob: 0 },
      })),
      usage: { type: 'duration', seconds: 3 },
      svc: { credits_charged: 0.36, margin_bps: 2_000, estimated: true },
    })
  })

  test('a number that no client can read is left out of the tokens of a segment', async () => {
    const told = '{"text":"The","segments":[{"start":0,"end":1,"text":"The","tokens":[1,1e999,"2",null,3]}]}'
    audio.onTranscription = (_call, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(told)
    }
    const answer = await (await ask([['response_format', 'verbose_json']])).json()
    expect(answer).toMatchObject({ segments: [{ text: 'The', tokens: [1, 3] }] })
  })

  test('words come through with verbose_json, and granularities reach the upstream as they were written', async () => {
    const words = [{ word: 'The', start: 0, end: 0.5 }]
    const told = [...words, { word: 1, start: 0, end: 1 }, null]
    audio.onTranscription = (_call, response) => sendJson(response, { text: 'The', words: told, usage: { seconds: 1 } })
    const granularities: Field[] = [
      ['timestamp_granularities[]', 'word'],
      ['timestamp_granularities[]', 'segment'],
    ]
    const answer = await (await ask([['response_format', 'verbose_json'], ...granularities])).json()
    expect(answer).toMatchObject({ words, task: 'transcribe', language: '', duration: 1 })
    expect((await formOf(audio.transcriptions[0]!)).getAll('timestamp_granularities[]')).toEqual(['word', 'segment'])
  })

  test.each([
    ['text', 'text/plain; charset=utf-8', `${verbose.text}\n`],
    [
      'srt',
      'application/x-subrip; charset=utf-8',
      '1\n00:00:00,000 --> 00:00:01,500\nThe quick brown\n\n2\n00:00:01,500 --> 00:00:02,250\nfox jumps\n\n' +
        '3\n00:00:02,250 --> 00:00:03,000\nhigh.\n\n',
    ],
    [
      'vtt',
      'text/vtt; charset=utf-8',
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nThe quick brown\n\n00:00:01.500 --> 00:00:02.250\nfox jumps\n\n' +
        '00:00:02.250 --> 00:00:03.000\nhigh.\n\n',
    ],
  ])('%s is text, its charge in the headers', async (format, type, body) => {
    const { result, charge } = await chargeOf(gateway, () => ask([['response_format', format]]))
    expect([result.headers.get('content-type'), await result.text()]).toEqual([type, body])
    expect(result.headers.get('x-svc-credits-charged')).toBe('0.36')
    expect(result.headers.get('x-svc-estimated')).toBe('true')
    expect(charge).toBe(3n * SECOND)
  })

  // Case B102: a server that answers in plain text whatever it was asked for.
  test.each([
    ['text', 'El ciclo\n'],
    ['json', expect.stringContaining('"text":"El ciclo"')],
  ])('a plain answer of the upstream is delivered as %s', async (format, body) => {
    audio.onTranscription = (_call, response) =>
      void response.writeHead(200, { 'content-type': 'text/plain' }).end('El ciclo')
    const { result, charge } = await chargeOf(gateway, () => ask([['response_format', format]]))
    expect([result.status, await result.text(), charge]).toEqual([200, body, 3n * SECOND])
  })

  test('subtitles of a model that sends no times are refused, and free', async () => {
    audio.onTranscription = (_call, response) => sendJson(response, { text: 'Hello', usage: { cost: 0.0003 } })
    const { result, charge } = await chargeOf(gateway, () => ask([['response_format', 'srt']]))
    expect(await errorOf(result)).toMatchObject({ code: 'unsupported_format', param: 'response_format' })
    expect(charge).toBe(0n)
  })

  // Clients in Python write it with a capital letter.
  test.each(['true', 'True'])('a stream (%s) sends the text, then the whole with its charge', async (stream) => {
    const response = await ask([['stream', stream]])
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = eventsIn(await response.text())
    expect(events.pop()).toBe('[DONE]')
    expect(events.map((data) => JSON.parse(data))).toEqual([
      { type: 'transcript.text.delta', delta: verbose.text },
      {
        type: 'transcript.text.done',
        text: verbose.text,
        usage: { type: 'tokens', input_tokens: 0, output_tokens: 0, total_tokens: 0, seconds: 3 },
        svc: { credits_charged: 0.36, margin_bps: 2_000, estimated: true },
      },
    ])
  })
})

describe('the price', () => {
  test.each([
    [0.5, 1n],
    [1, 1n],
    [1.001, 2n],
    [59.5, 60n],
  ])('%d s are %d begun seconds', async (seconds, charged) => {
    const { charge } = await chargeOf(gateway, () => ask([['file', wavOf(seconds)]]))
    expect(charge).toBe(charged * SECOND)
  })

  test('goes by the length that the file has, whatever the upstream counts and asks for', async () => {
    audio.onTranscription = (_call, response) => sendJson(response, { text: 'a', usage: { seconds: 900, cost: 5 } })
    const { charge } = await chargeOf(gateway, () => ask())
    expect(charge).toBe(3n * SECOND)
  })

  test.each(['mp3', 'flac', 'aac', 'm4a', 'ogg', 'webm'] as const)('a real %s is measured', async (format) => {
    const audio = new Uint8Array(await makeAudio(format, 2.5))
    const { charge } = await chargeOf(gateway, () => ask([['file', new File([audio], `a.${format}`)]]))
    expect(charge).toBe(3n * SECOND)
  })

  test('goes by frames where a WAV calls them PCM', async () => {
    const samples = await makeAudio('mp3', 9.5)
    const header = makeWav(WAV_HEADER_BYTES, 48_000)
    header.writeUInt16LE(2, 32)
    header.writeUInt16LE(16, 34)
    const lying = new Uint8Array(Buffer.concat([header, samples]))
    const { charge } = await chargeOf(gateway, () => ask([['file', new File([lying], 'a.wav')]]))
    expect(charge).toBe(10n * SECOND)
  })

  test('of a container that is not measured is none: it is a 400 that names what to send', async () => {
    const nut = new File(['nut/multimedia container\0', new Uint8Array(9_000)], 'a.wav')
    const { result, charge } = await chargeOf(gateway, () => ask([['file', nut]]))
    expect(await errorOf(result)).toMatchObject({
      code: 'unsupported_format',
      param: 'file',
      message: expect.stringContaining('send flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm'),
    })
    expect([result.status, charge, audio.transcriptions.length]).toEqual([400, 0n, 0])
  })

  test('goes by the bytes of a file that cannot be read: 500 of them a second', async () => {
    const noise = new File([new Uint8Array(randomBytes(40_010))], 'a.bin')
    const { charge } = await chargeOf(gateway, () => ask([['file', noise]]))
    expect(charge).toBe(81n * SECOND)
  })
})

describe('what reaches the upstream', () => {
  // Cases B104, B106.
  test.each([
    ['wörter 声 "1".m4a', 'application/octet-stream', 200_000],
    ['voice.ogg', 'audio/ogg', 1_000],
  ])('is the file %s with its name, type and every byte', async (name, type, size) => {
    const bytes = new Uint8Array(randomBytes(size))
    const response = await postForm(gateway, [
      ['language', 'de'],
      ['file', new File([bytes], name, { type })],
      ['include[]', 'logprobs'],
      ['some_new_field', 'kept'],
      ['temperature', '0'],
      ['model', WHISPER],
    ])
    expect(response.status).toBe(200)
    const form = await formOf(audio.transcriptions[0]!)
    const file = form.get('file') as File
    // Quotes are written as codes in a form; every reader has its own mind about reading them.
    expect([decodeURIComponent(file.name), file.type]).toEqual([name, type])
    expect(hash(new Uint8Array(await file.arrayBuffer()))).toBe(hash(bytes))
    const fields = [...form].filter(([field]) => field !== 'file')
    expect(fields).toEqual([
      ['model', 'openai/whisper-1'],
      ['response_format', 'json'],
      ['language', 'de'],
      ['include[]', 'logprobs'],
      ['some_new_field', 'kept'],
      ['temperature', '0'],
    ])
    expect(audio.transcriptions[0]!.headers['content-length']).toBe(String(audio.transcriptions[0]!.body.length))
  })

  test('nothing of a name can break out of its header', async () => {
    const evil = 'a"\r\nContent-Type: text/html\r\n\r\n<b>.wav'
    await ask([['file', new File([new Uint8Array(makeWav(8_044))], evil)]])
    const form = await formOf(audio.transcriptions[0]!)
    expect([...form.keys()]).toEqual(['model', 'response_format', 'file'])
  })
})

describe('a form is refused and free', () => {
  const wav = wavOf(1)
  test.each<[string, Field[], string]>([
    ['no file', [['model', WHISPER]], '400 empty_content file'],
    [
      'an empty file',
      [
        ['model', WHISPER],
        ['file', new File([], 'a.wav')],
      ],
      '400 empty_content file',
    ],
    [
      'two files',
      [
        ['model', WHISPER],
        ['file', wav],
        ['file', wav],
      ],
      '400 invalid_value file',
    ],
    [
      'a file under another name',
      [
        ['model', WHISPER],
        ['audio', wav],
      ],
      '400 invalid_value audio',
    ],
    ['no model', [['file', wav]], '400 missing_required_parameter model'],
    [
      'two models',
      [
        ['model', WHISPER],
        ['file', wav],
        ['model', 'x'],
      ],
      '400 invalid_value model',
    ],
  ])('%s', async (_name, fields, expected) => {
    const { result, charge } = await chargeOf(gateway, () => postForm(gateway, fields))
    expect(await refusalOf(result)).toBe(expected)
    expect([charge, audio.transcriptions.length]).toEqual([0n, 0])
  })

  test.each<[string, Field[], string]>([
    ['an unknown model', [['model', 'nobody']], '404 model_not_found model'],
    ['a model that chats', [['model', 'svc-gpt']], '400 invalid_value model'],
    ['an unknown format', [['response_format', 'xml']], '400 invalid_value response_format'],
    ['a format that it lacks', [['response_format', 'diarized_json']], '400 unsupported_format response_format'],
    ['too warm', [['temperature', '1.5']], '400 invalid_value temperature'],
    ['no number', [['temperature', 'warm']], '400 invalid_value temperature'],
    [
      'times without a place',
      [['timestamp_granularities[]', 'word']],
      '400 unsupported_parameter timestamp_granularities',
    ],
    ['another route', [['provider', '{}']], '400 unsupported_parameter provider'],
    ['another spelling', [['MODEL', 'x']], '400 unsupported_parameter MODEL'],
    [
      'a stream of subtitles',
      [
        ['stream', 'true'],
        ['response_format', 'srt'],
      ],
      '400 unsupported_format response_format',
    ],
  ])('%s', async (_name, fields, expected) => {
    const { result, charge } = await chargeOf(gateway, () => ask(fields))
    expect(await refusalOf(result)).toBe(expected)
    expect([charge, audio.transcriptions.length]).toEqual([0n, 0])
  })

  test('what is no form, and what is no key', async () => {
    const json = await gateway.fetch('/v1/audio/transcriptions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(await errorOf(json)).toMatchObject({ code: 'unsupported_media_type' })
    const keyless = await gateway.fetch('/v1/audio/transcriptions', { method: 'POST', body: '', key: null } as never)
    expect(keyless.status).toBe(401)
  })
})

describe('sizes', () => {
  test('26,214,400 bytes pass', async () => {
    const bytes = new Uint8Array(makeWav(AUDIO_BYTES_MAX))
    let got = ''
    audio.onTranscription = async (call, response) => {
      const file = (await formOf(call)).get('file') as File
      got = hash(new Uint8Array(await file.arrayBuffer()))
      return hear(call, response)
    }
    const response = await ask([['file', new File([bytes], 'long.wav')]])
    expect([response.status, got]).toEqual([200, hash(bytes)])
    expect(await response.json()).toMatchObject({ usage: { seconds: 3_277 } })
  })

  test('one byte more is 413', async () => {
    const file = new File([new Uint8Array(AUDIO_BYTES_MAX + 1)], 'long.wav')
    const { result, charge } = await chargeOf(gateway, () => ask([['file', file]]))
    expect(result.status).toBe(413)
    expect(await errorOf(result)).toMatchObject({ code: 'request_too_large', param: 'file' })
    expect([charge, audio.transcriptions.length]).toEqual([0n, 0])
  })
})

describe('uploads that never come to their end', () => {
  const head = (length: number): string =>
    [
      'POST /api/v1/audio/transcriptions HTTP/1.1',
      'host: x',
      `authorization: Bearer ${gateway.key}`,
      'content-type: multipart/form-data; boundary=x',
      `content-length: ${length}`,
      '',
      '--x',
      'content-disposition: form-data; name="file"; filename="a.wav"',
      '',
      'a'.repeat(200_000),
    ].join('\r\n')

  /** Files that uploads keep open; they have no name, so the process is asked. Other systems than Linux cannot tell. */
  function openUploads(): number {
    const targets = readdirSync('/proc/self/fd').map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`)
      } catch {
        return ''
      }
    })
    return targets.filter((target) => target.startsWith(join(gateway.dataDir, 'uploads'))).length
  }

  function open() {
    const { hostname, port } = new URL(gateway.baseUrl)
    const socket = connect(Number(port), hostname)
    let answer = ''
    socket.on('data', (chunk) => (answer += String(chunk)))
    socket.on('error', () => undefined)
    socket.write(head(500_000))
    return { socket, answer: () => answer }
  }

  test('a sender who falls silent gets a 408', async () => {
    const { socket, answer } = open()
    await eventually(() => expect(answer()).toContain('HTTP/1.1 408'))
    expect(answer()).toContain('"code":"request_timeout"')
    socket.destroy()
  })

  test.runIf(process.platform === 'linux')('a sender who breaks off leaves nothing', async () => {
    const { socket } = open()
    const seen = gateway.logged.length
    await eventually(() => expect(openUploads()).toBe(1))
    socket.destroy()
    await eventually(() => expect(openUploads()).toBe(0))
    await eventually(() => expect(gateway.logged.slice(seen).join('')).toContain('"status":499'))
    expect((await gateway.balance()).held).toBe(0n)
  })
})

describe('an upstream that fails costs nothing', () => {
  const json = 'application/json'
  test.each<[string, [number, string], string, string]>([
    ['HTML', [200, 'text/html'], '<html>', '502 upstream_error'],
    ['an error that says 200', [200, json], '{"error":{"message":"no"}}', '502 upstream_error'],
    ['JSON without a text', [200, json], '{"words":[]}', '502 upstream_error'],
    ['half a JSON', [200, json], '{"text":"a', '502 upstream_error'],
    ['a bare empty text', [200, json], '{"text":""}', '502 upstream_empty'],
    ['503', [503, json], '{}', '503 server_is_overloaded'],
    ['401', [401, json], '{"error":{"message":"key"}}', '503 upstream_unavailable'],
    ['a refusal', [400, json], '{"error":{"message":"bad audio"}}', '400 upstream_rejected_request'],
  ])('%s', async (_name, [upstreamStatus, type], body, expected) => {
    audio.onTranscription = (_call, response) =>
      void response.writeHead(upstreamStatus, { 'content-type': type }).end(body)
    const { result, charge } = await chargeOf(gateway, () => ask())
    expect([await refusalOf(result), charge]).toEqual([expected, 0n])
    const streamed = await ask([['stream', 'true']])
    expect(await refusalOf(streamed)).toBe(expected)
  })

  test('silence is an answer of a model that has listened', async () => {
    audio.onTranscription = (_call, response) => sendJson(response, { text: '', usage: { seconds: 3 } })
    const { result, charge } = await chargeOf(gateway, () => ask())
    expect(await result.json()).toMatchObject({ text: '' })
    expect(charge).toBe(3n * SECOND)
  })
})

test('OpenRouter has no translations, and says so before anything is sent', async () => {
  const response = await ask([], '/v1/audio/translations')
  expect(await errorOf(response)).toMatchObject({ code: 'invalid_value', param: 'model' })
  expect(audio.transcriptions).toHaveLength(0)
})

test('nothing of all this is left in the folder of uploads', () => {
  expect(readdirSync(join(gateway.dataDir, 'uploads'))).toEqual([])
})
