/** The bodies of requests by what they ask for. */
import { makeWav, WAV_HEADER_BYTES } from '../../packages/server/testing/make-wav.ts'
import type { LoadTarget, LoadWork } from '../load-order.ts'
import { type LoadBody, wholeBody } from './send-one.ts'

const BOUNDARY = 'bench-boundary'
/** Bytes of ten seconds of 8-bit samples, 16,000 a second: more than is kept in memory, as most recordings are. */
const TEN_SECONDS = 160_000
/** The largest file that is taken. */
const LARGEST = 26_214_400
const RATE = 16_000

function formOf(byteLength: number): LoadBody {
  const field = (head: string): string => `--${BOUNDARY}\r\ncontent-disposition: form-data; ${head}\r\n`
  const content = Buffer.concat([
    Buffer.from(`${field('name="model"')}\r\nopenai/whisper-1\r\n`),
    Buffer.from(`${field('name="file"; filename="a.wav"')}content-type: audio/wav\r\n\r\n`),
    makeWav(byteLength, RATE),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
  return { type: `multipart/form-data; boundary=${BOUNDARY}`, content }
}

function speechBody(): LoadBody {
  const input = 'The quick brown fox jumps over the lazy dog. '.repeat(4)
  const request = { model: 'openai/gpt-4o-mini-tts-2025-12-15', input, voice: 'alloy' }
  return { type: 'application/json', content: JSON.stringify(request) }
}

function imageBody(): LoadBody {
  const prompt = 'A lighthouse in the fog, seen from the sea, in the style of an old engraving. '.repeat(4)
  const request = { model: 'x-ai/grok-imagine-image-2.0', prompt, n: 1, quality: 'low', resolution: '1K' }
  return { type: 'application/json', content: JSON.stringify(request) }
}

const made = new Map<LoadWork, LoadBody>()

/** The body of a request; those that are large are made once. */
export function bodyOf(target: LoadTarget): LoadBody {
  const { work = 'chat' } = target
  if (work === 'chat') return wholeBody(target)
  const known = made.get(work)
  if (known !== undefined) return known
  const makers: Readonly<Record<Exclude<LoadWork, 'chat'>, () => LoadBody>> = {
    image: imageBody,
    speech: speechBody,
    transcription: () => formOf(WAV_HEADER_BYTES + TEN_SECONDS),
    upload: () => formOf(LARGEST),
  }
  const body = makers[work]()
  made.set(work, body)
  return body
}
