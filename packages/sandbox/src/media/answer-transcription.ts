import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { sendJson } from '../send-reply.ts'
import type { Transcript } from '../transcripts/transcript.ts'
import { beginMedia, goneSignal, type MediaDeps, type MediaTask, sendHalf, waitIfSlow } from './begin-media.ts'
import { invalid, type MediaBody, parseMediaBody, textAt } from './media-body.ts'
import { costOfMedia } from './media-cost.ts'

/** Source: the OpenAI API reference, "Create transcription". */
const FILE_BYTES_MAX = 26_214_400

interface Reading {
  readonly isVerbose: boolean
  readonly granularities: readonly string[]
  readonly task: 'transcribe' | 'translate'
}

/**
 * Answers `POST /audio/transcriptions` and, since only English is heard, `POST /audio/translations` the same way.
 * @throws {SandboxError} for what an upstream would refuse.
 */
export async function answerTranscription(
  deps: MediaDeps,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
  task: Reading['task'],
  response: ServerResponse,
): Promise<void> {
  const parsed = await parseMediaBody(headers, body)
  const id = textAt(parsed, 'model')
  if (id === null) throw invalid('model: expected text')
  const file = readFile(parsed)
  const reading: Reading = { task, ...readFormat(parsed) }
  const language = textAt(parsed, 'language') ?? 'en'
  const begun = beginMedia(deps, id, 'transcription', response)
  if (begun === null) return
  if (!/^en/i.test(language)) throw invalid('language: the sandbox hears English alone.')
  await waitIfSlow(deps, begun.script)
  const { cacheFolder, recogniser } = deps.options
  const job = { kind: 'listen', file, cacheFolder, recogniser } as const
  const result = await deps.studios.transcription.run(job, { signal: goneSignal(response) })
  if (result.kind !== 'transcript' || response.destroyed) return
  send(begun, response, renderTranscript(result.transcript, reading, begun))
}

/** A form's file, or OpenRouter's `input_audio`. */
function readFile(body: MediaBody): Buffer {
  const [given] = body.files.get('file') ?? []
  const inline = body.fields['input_audio']
  const data: unknown = typeof inline === 'object' && inline !== null ? Reflect.get(inline, 'data') : undefined
  const file = given ?? (typeof data === 'string' ? Buffer.from(data, 'base64') : null)
  if (file === null || file.length === 0) throw invalid('file: expected an audio file')
  if (file.length > FILE_BYTES_MAX) throw invalid(`file: at most ${FILE_BYTES_MAX} bytes`)
  return file
}

function readFormat(body: MediaBody): Omit<Reading, 'task'> {
  const format = textAt(body, 'response_format') ?? 'json'
  if (format !== 'json' && format !== 'verbose_json') throw invalid('response_format: expected json or verbose_json')
  const named = body.fields['timestamp_granularities'] ?? []
  const granularities = (Array.isArray(named) ? named : [named]).map(String)
  return {
    isVerbose: format === 'verbose_json',
    granularities: granularities.length === 0 ? ['segment'] : granularities,
  }
}

/** Writes JSON whose cost is decimal text that no float has touched. */
function renderTranscript(transcript: Transcript, reading: Reading, { model, script }: MediaTask): string {
  const { duration, segments } = transcript
  const isSilent = script.result === 'empty'
  const words = isSilent ? [] : segments.flatMap((segment) => segment.words)
  const text = words.map(({ word }) => word).join(' ')
  const wants = (name: string): boolean => reading.isVerbose && reading.granularities.includes(name)
  const hasTimes = script.result !== 'blank'
  const value = {
    ...(reading.isVerbose ? { task: reading.task, language: 'english', duration } : {}),
    text,
    ...(wants('segment') && hasTimes ? { segments: isSilent ? [] : renderSegments(transcript) } : {}),
    ...(wants('word') && hasTimes ? { words } : {}),
  }
  const cost = script.reportsCost ? costOfMedia(model.prices, { type: 'transcription', seconds: duration }) : null
  const tail = cost === null ? '' : `,"cost":${cost}`
  return `${JSON.stringify(value).slice(0, -1)},"usage":{"type":"duration","seconds":${duration}${tail}}}`
}

function renderSegments({ segments }: Transcript) {
  const spoken = segments.filter(({ words }) => words.length > 0)
  return spoken.map(({ start, end, words }, id) => {
    const text = ` ${words.map(({ word }) => word).join(' ')}`
    const guesses = { temperature: 0, avg_logprob: -0.5, compression_ratio: 1, no_speech_prob: 0.01 }
    return { id, seek: Math.round(start * 100), start, end, text, tokens: [], ...guesses }
  })
}

function send({ script }: MediaTask, response: ServerResponse, text: string): void {
  const headers = { 'x-generation-id': `gen-${randomUUID()}` }
  if (script.result !== 'cut') return sendJson(response, 200, text, headers)
  sendHalf(response, Buffer.from(text), { ...headers, 'content-type': 'application/json' })
}
