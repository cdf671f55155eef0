/** A transcript in the form that its caller asked for. Pure. */
import { type Cue, renderSrt, renderVtt, type TranscriptFormat } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { UpstreamTranscript, UpstreamTranscriptFormat } from '../../upstreams/transcription-upstream.ts'

/** What the upstream is asked for, so that the caller's format can be made from it. */
export const sourceFormats: Readonly<Record<TranscriptFormat, UpstreamTranscriptFormat>> = {
  json: 'json',
  text: 'json',
  srt: 'verbose_json',
  vtt: 'verbose_json',
  verbose_json: 'verbose_json',
  diarized_json: 'diarized_json',
}

const contentTypes: Readonly<Record<TranscriptFormat, string>> = {
  json: 'application/json; charset=utf-8',
  verbose_json: 'application/json; charset=utf-8',
  diarized_json: 'application/json; charset=utf-8',
  text: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
}

/** The content type of a format. */
export function transcriptType(format: TranscriptFormat): string {
  return contentTypes[format]
}

type Json = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}

function wholeOr(value: unknown, otherwise: number): number {
  return Number.isSafeInteger(value) ? Number(value) : otherwise
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise
}

function objectsIn(value: unknown): readonly Record<string, unknown>[] | null {
  return Array.isArray(value) ? value.filter(isObject) : null
}

/** Fills in what clients demand and some models do not send; what more a model sends stays. */
function fillSegment(segment: Json, index: number): Json {
  return {
    ...segment,
    id: wholeOr(segment['id'], index),
    seek: numberOr(segment['seek'], 0),
    start: numberOr(segment['start'], 0),
    end: numberOr(segment['end'], numberOr(segment['start'], 0)),
    text: textOr(segment['text'], ''),
    tokens: Array.isArray(segment['tokens']) ? segment['tokens'].filter((each) => Number.isFinite(each)) : [],
    temperature: numberOr(segment['temperature'], 0),
    avg_logprob: numberOr(segment['avg_logprob'], 0),
    compression_ratio: numberOr(segment['compression_ratio'], 0),
    no_speech_prob: numberOr(segment['no_speech_prob'], 0),
  }
}

/** Numbers that a segment of `verbose_json` has and a turn needs not. */
const SEGMENT_NUMBERS = new Set(['seek', 'temperature', 'avg_logprob', 'compression_ratio', 'no_speech_prob'])

function isRightMember([name, value]: readonly [string, unknown]): boolean {
  if (name === 'tokens') return Array.isArray(value) && value.every((each) => Number.isFinite(each))
  return !SEGMENT_NUMBERS.has(name) || Number.isFinite(value)
}

/** A part of what one person says; what more a model sends stays, but for numbers that are none. */
function fillTurn(segment: Json, index: number): Json {
  const start = numberOr(segment['start'], 0)
  return {
    ...Object.fromEntries(Object.entries(segment).filter(isRightMember)),
    id: textOr(segment['id'], '') === '' ? wholeOr(segment['id'], index) : segment['id'],
    ...{ start, end: numberOr(segment['end'], start), text: textOr(segment['text'], '') },
  }
}

/** Words that are none are left out, and times that are none are filled in. */
function fillWords(words: readonly Json[]): readonly Json[] {
  return words
    .filter(({ word }) => typeof word === 'string')
    .map((word) => {
      const start = numberOr(word['start'], 0)
      return { ...word, start, end: numberOr(word['end'], start) }
    })
}

/** What is shown beside the transcript. */
export interface TranscriptFacts {
  readonly task: 'transcribe' | 'translate'
  /** Seconds of the audio as far as they are known; null otherwise. */
  readonly duration: number | null
  /** Seconds that are charged. */
  readonly chargedSeconds: number
  /** JSON text of the charge annotation. */
  readonly svc: string
}

function plainMembers({ text, value }: UpstreamTranscript): Json {
  const { logprobs, languages, language } = value
  return {
    text,
    ...(Array.isArray(logprobs) ? { logprobs } : {}),
    ...(Array.isArray(languages) ? { languages } : {}),
    ...(typeof language === 'string' ? { language } : {}),
  }
}

function verboseMembers(transcript: UpstreamTranscript, facts: TranscriptFacts): Json {
  const { value, text } = transcript
  const segments = objectsIn(value['segments'])
  const words = objectsIn(value['words'])
  return {
    task: textOr(value['task'], facts.task),
    // Sent even where it is unknown: clients demand a text here.
    language: textOr(value['language'], facts.task === 'translate' ? 'english' : ''),
    duration: numberOr(value['duration'], transcript.seconds ?? facts.duration ?? facts.chargedSeconds),
    text,
    ...(segments === null ? {} : { segments: segments.map(fillSegment) }),
    ...(words === null ? {} : { words: fillWords(words) }),
  }
}

function diarizedMembers(transcript: UpstreamTranscript, facts: TranscriptFacts): Json {
  const { value, text } = transcript
  return {
    task: textOr(value['task'], facts.task),
    duration: numberOr(value['duration'], transcript.seconds ?? facts.duration ?? facts.chargedSeconds),
    text,
    segments: (objectsIn(value['segments']) ?? []).map(fillTurn),
  }
}

/** Writes members with usage and charge behind them. */
function renderJson(members: Json, { chargedSeconds, svc }: TranscriptFacts): string {
  const body = JSON.stringify({ ...members, usage: { type: 'duration', seconds: chargedSeconds } })
  return `${body.slice(0, -1)},"svc":${svc}}`
}

function cuesOf(transcript: UpstreamTranscript, format: TranscriptFormat): readonly Cue[] {
  const segments = objectsIn(transcript.value['segments'])
  if (segments === null) {
    throw new ServiceError('unsupported_format', `The model tells no times, which ${format} needs.`, {
      param: 'response_format',
      shouldRetry: false,
    })
  }
  return segments.map((segment, index) => {
    const filled = fillSegment(segment, index)
    return { start: Number(filled['start']), end: Number(filled['end']), text: String(filled['text']) }
  })
}

/**
 * Writes the body of an answer.
 *
 * @throws {ServiceError} `unsupported_format` when the model sent no times, and the format is made of them.
 */
export function renderTranscript(
  transcript: UpstreamTranscript,
  format: TranscriptFormat,
  facts: TranscriptFacts,
): string {
  switch (format) {
    case 'json':
      return renderJson(plainMembers(transcript), facts)
    case 'verbose_json':
      return renderJson(verboseMembers(transcript, facts), facts)
    case 'diarized_json':
      return renderJson(diarizedMembers(transcript, facts), facts)
    case 'text':
      return `${transcript.text}\n`
    case 'srt':
      return renderSrt(cuesOf(transcript, format))
    case 'vtt':
      return renderVtt(cuesOf(transcript, format))
  }
}

/**
 * The last event of a stream. Clients demand counts of tokens in it; a transcript is charged by its length, which stands
 * beside them. Source: OpenAI, `transcript.text.done`.
 */
export function renderDoneEvent(transcript: UpstreamTranscript, { chargedSeconds, svc }: TranscriptFacts): string {
  const { text, ...more } = plainMembers(transcript)
  const usage = { type: 'tokens', ...tokensOf(transcript.value['usage']), seconds: chargedSeconds }
  return `${JSON.stringify({ type: 'transcript.text.done', text, ...more, usage }).slice(0, -1)},"svc":${svc}}`
}

/** What the upstream counted; zero where it counts none. */
function tokensOf(usage: unknown): Json {
  const counted = isObject(usage) ? usage : {}
  const input = wholeOr(counted['input_tokens'], 0)
  const output = wholeOr(counted['output_tokens'], 0)
  return { input_tokens: input, output_tokens: output, total_tokens: input + output }
}
