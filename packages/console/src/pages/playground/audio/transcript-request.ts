/** An audio file to write down, and what was said in it. */
import { ApiError, type Client, type Cue, endpoints, type InputOf, type ReplyOf } from '@svc/contract'
import type { Run, Work } from '../run-store.ts'

export interface TranscriptWishes {
  readonly model: string
  /** ISO 639-1; empty lets the model find out. */
  readonly language: string
  /** Words that help with names. */
  readonly prompt: string
  readonly audio: File
}

export interface TranscriptRun extends Run {
  readonly wishes: TranscriptWishes
  readonly text: string
  readonly language: string | null
  /** Empty where the model sends no times. */
  readonly words: readonly Cue[]
  readonly segments: readonly Cue[]
}

type TranscriptForm = InputOf<typeof endpoints.createTranscription>['form']

/** @param hasTimes whether times are asked for, which not every model sends. */
export function transcriptFormOf(
  { model, language, prompt, audio }: TranscriptWishes,
  hasTimes: boolean,
): TranscriptForm {
  return {
    file: audio,
    model,
    response_format: hasTimes ? 'verbose_json' : 'json',
    ...(hasTimes ? { 'timestamp_granularities[]': ['word', 'segment'] } : {}),
    ...(language.trim() === '' ? {} : { language: language.trim() }),
    ...(prompt.trim() === '' ? {} : { prompt }),
  }
}

type Reply = ReplyOf<typeof endpoints.createTranscription>

async function ask(client: Client, wishes: TranscriptWishes, options: Work<TranscriptRun>['options']) {
  const call = (hasTimes: boolean): Promise<Reply> =>
    client.call(endpoints.createTranscription, { form: transcriptFormOf(wishes, hasTimes) }, options)
  try {
    return await call(true)
  } catch (error) {
    // Refused before anything was charged: this model sends no times.
    if (error instanceof ApiError && error.is('unsupported_format') && error.param === 'response_format') {
      return call(false)
    }
    throw error
  }
}

export function transcribe(wishes: TranscriptWishes) {
  return async ({ client, options }: Work<TranscriptRun>): Promise<Partial<TranscriptRun>> => {
    const reply = await ask(client, wishes, options)
    return {
      text: reply.text,
      language: reply.language ?? null,
      words: (reply.words ?? []).map(({ word, start, end }) => ({ text: word.trim(), start, end })),
      segments: (reply.segments ?? []).map(({ text, start, end }) => ({ text, start, end })),
      charge: reply.svc.credits_charged,
      // A flat charge by the length, known before: final, though it is called an estimate.
      isEstimated: false,
    }
  }
}
