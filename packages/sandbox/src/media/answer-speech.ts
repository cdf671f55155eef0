import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { readableText } from '../speech/readable-text.ts'
import { type SpeechFormat, speechFormats } from '../speech/speech-job.ts'
import { beginMedia, goneSignal, type MediaDeps, type MediaTask, sendHalf, waitIfSlow } from './begin-media.ts'
import { invalid, type MediaBody, numberAt, parseMediaBody, textAt } from './media-body.ts'
import { costOfMedia } from './media-cost.ts'

/** Source: the OpenAI API reference, "Create speech". */
const INPUT_MAX = 4_096
/** A digit and a sign are read as a word, which takes as long as so many letters. */
const READ_AS_WORDS = /[^A-Za-z\s.,;:!?'"()-]/g
const WORD_LETTERS = 5
/** Letters that are spoken at most: some eight minutes, which are made within the patience of a client. */
const SPOKEN_MAX = 8_192
const SPEED = { min: 0.25, max: 4 } as const

const types: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm;rate=24000;channels=1',
}

/** Bytes that leave together: audio can be played before all of it is here. */
const PIECE_BYTES = 16_384

/**
 * Answers `POST /audio/speech`.
 * @throws {SandboxError} for what an upstream would refuse: empty, long and foreign texts among it.
 */
export async function answerSpeech(
  deps: MediaDeps,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
  response: ServerResponse,
): Promise<void> {
  const parsed = await parseMediaBody(headers, body)
  const id = textAt(parsed, 'model')
  if (id === null) throw invalid('model: expected text')
  const input = readInput(parsed)
  const format = readFormat(parsed)
  const voice = textAt(parsed, 'voice') ?? 'alloy'
  const speed = numberAt(parsed, 'speed', SPEED) ?? 1
  const task = beginMedia(deps, id, 'speech', response)
  if (task === null) return
  await waitIfSlow(deps, task.script)
  const text = readableText(input)
  if (text === null) throw invalid('input: the sandbox speaks English alone, and there has to be something to say.')
  if (text.length + (text.match(READ_AS_WORDS)?.length ?? 0) * (WORD_LETTERS - 1) > SPOKEN_MAX) {
    throw invalid('input: so many digits and signs take too long to say')
  }
  const job = { kind: 'speech', text, voice, speed, format } as const
  const result = await deps.studios.speech.run(job, { signal: goneSignal(response) })
  const [audio = new Uint8Array()] = result.kind === 'files' ? result.files : []
  send(deps, task, { input, audio, type: types[format], response })
}

function readInput(body: MediaBody): string {
  const input = textAt(body, 'input')
  if (input === null || input.trim() === '') throw invalid('input: expected text')
  if ([...input].length > INPUT_MAX) throw invalid(`input: at most ${INPUT_MAX} characters`)
  return input
}

/** OpenRouter's own default is `pcm`; a client that cares names a format. */
function readFormat(body: MediaBody): SpeechFormat {
  const name = textAt(body, 'response_format') ?? 'pcm'
  const format = speechFormats.find((each) => each === name)
  if (format === undefined) throw invalid(`response_format: expected ${speechFormats.join(', ')}`)
  return format
}

interface Spoken {
  readonly input: string
  readonly audio: Uint8Array
  readonly type: string
  readonly response: ServerResponse
}

function send({ options, generations }: MediaDeps, { model, script }: MediaTask, spoken: Spoken): void {
  const { input, audio, type, response } = spoken
  const nowMs = options.clock.now()
  const id = `gen-${randomUUID()}`
  const usage = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
  generations.add({
    ...{ id, model: model.id, usage, createdMs: nowMs, visibleMs: nowMs, isStreamed: false, isCancelled: false },
    cost: script.reportsCost ? costOfMedia(model.prices, { type: 'speech', text: input }) : null,
    finishReason: 'stop',
  })
  if (response.destroyed) return
  const headers = { 'content-type': type, 'x-generation-id': id }
  if (script.result === 'cut') return sendHalf(response, audio, headers)
  response.writeHead(200, headers)
  const bytes = script.result === 'empty' ? new Uint8Array() : audio
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) response.write(bytes.subarray(at, at + PIECE_BYTES))
  response.end()
}
