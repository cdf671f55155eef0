/** An upstream of audio that does what a test says, and what it was asked for. */
import type { ServerResponse } from 'node:http'
import type { StubCall, StubHandler, StubUpstream } from '../packages/server/testing/stub-upstream.ts'

/** A speech model of the catalog that is sold by the character, and nanocredits of one with the margin. */
export const SPEECH = 'openrouter/openai/gpt-4o-mini-tts-2025-12-15'
export const CHARACTER = 20_400_000n
/** One that is sold by the byte. */
export const SPEECH_BY_BYTE = 'openrouter/fish-audio/s2.1-pro'
export const BYTE = 18_000_000n
/** A transcription model of the catalog, and nanocredits of a second with the margin. */
export const WHISPER = 'openrouter/openai/whisper-1'
export const SECOND = 120_000_000n

/** Calls of one kind that an upstream has got, and the answer to the next ones. */
export interface AudioStub {
  readonly speeches: StubCall[]
  readonly transcriptions: StubCall[]
  onSpeech: StubHandler
  onTranscription: StubHandler
}

/** Audio that begins like an MP3. */
export function audioOf(bytes: number): Buffer {
  const audio = Buffer.alloc(bytes, 0x55)
  audio.writeUInt16BE(0xff_fb, 0)
  return audio
}

export function sendAudio(response: ServerResponse, audio: Buffer, type = 'audio/mpeg'): void {
  response.writeHead(200, { 'content-type': type, 'x-generation-id': 'gen-audio' }).end(audio)
}

export function sendJson(response: ServerResponse, value: object, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** Three segments of a model that reports little. */
export const segments = [
  { start: 0, end: 1.5, text: ' The quick brown' },
  { start: 1.5, end: 2.25, text: ' fox jumps' },
  { start: 2.25, end: 3, text: ' high.' },
]

export const verbose = {
  task: 'transcribe',
  language: 'english',
  duration: 3,
  text: 'The quick brown fox jumps high.',
  segments,
  usage: { seconds: 3, cost: 0.0003 },
}

/** Hears the same in every audio file, as far as the asked format shows it. */
export const hear: StubHandler = async (call, response) => {
  const form = await formOf(call)
  const { text, usage } = verbose
  sendJson(response, form.get('response_format') === 'verbose_json' ? verbose : { text, usage })
}

/** Lets a stub answer requests for audio. */
export function audioStubOf(stub: StubUpstream): AudioStub {
  const audio: AudioStub = {
    speeches: [],
    transcriptions: [],
    onSpeech: (_call, response) => sendAudio(response, audioOf(1_000)),
    onTranscription: hear,
  }
  stub.onOther = (call, response) => {
    if (call.path.endsWith('/audio/speech')) {
      audio.speeches.push(call)
      return audio.onSpeech(call, response)
    }
    if (!call.path.includes('/audio/trans')) return void response.writeHead(404).end()
    audio.transcriptions.push(call)
    return audio.onTranscription(call, response)
  }
  return audio
}

/** The form that a call brought. */
export function formOf(call: StubCall): Promise<FormData> {
  const headers = { 'content-type': call.headers['content-type'] ?? '' }
  return new Response(new Uint8Array(call.body), { headers }).formData()
}

/** Posts a form to an address below `/v1`. */
export function postForm(
  gateway: { fetch(path: string, init?: RequestInit): Promise<Response> },
  fields: readonly (readonly [string, string | File])[],
  path = '/v1/audio/transcriptions',
): Promise<Response> {
  const body = new FormData()
  for (const [name, value] of fields) body.append(name, value)
  return gateway.fetch(path, { method: 'POST', body })
}

/** Posts a speech request. */
export function speak(
  gateway: { fetch(path: string, init?: RequestInit): Promise<Response> },
  body: object,
  init: RequestInit = {},
): Promise<Response> {
  return gateway.fetch('/v1/audio/speech', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: SPEECH, ...body }),
    ...init,
  })
}
