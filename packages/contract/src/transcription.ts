import { z } from 'zod'
import { chargeState } from './charge-state.ts'
import { MODEL_CHARACTERS_MAX } from './chat.ts'
import { creditsNumber } from './money-schema.ts'

/** Most bytes of an audio file: 25 MiB. Source: OpenAI, transcriptions. */
export const AUDIO_BYTES_MAX = 26_214_400

export const transcriptFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json', 'diarized_json'] as const

export type TranscriptFormat = (typeof transcriptFormats)[number]

export const timestampGranularities = ['word', 'segment'] as const

const name = z.string().min(1).max(MODEL_CHARACTERS_MAX)

/** The fields of a form that decide what is done with it; others go on as they came. */
export const transcriptionFields = z.looseObject({
  model: name.describe('A transcription model.'),
  language: z.string().max(64).optional().describe('ISO 639-1 code of the language that is spoken.'),
  prompt: z.string().max(32_000).optional().describe('Words that help to understand names and style.'),
  response_format: z.enum(transcriptFormats).optional().describe('`json` by default.'),
  temperature: z.coerce.number<string | number>().min(0).max(1).optional(),
  stream: z.enum(['true', 'false']).optional().describe('Server-sent events, with `json` and `diarized_json`.'),
})

const granularity = z.enum(timestampGranularities)

const file = z
  .file()
  .max(AUDIO_BYTES_MAX)
  .describe('flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm; at most 25 MiB. Fields may precede or follow it.')

/** For the document: the form of a transcription. */
export const transcriptionForm = z.object({
  file,
  ...transcriptionFields.shape,
  'timestamp_granularities[]': z.array(granularity).optional().describe('For `verbose_json` alone.'),
  'include[]': z.array(z.string()).optional().describe('`logprobs`, where the model gives them.'),
})

/** For the document: the form of a translation into English. */
export const translationForm = z.object({
  file,
  ...transcriptionFields.pick({ model: true, prompt: true, response_format: true, temperature: true }).shape,
})

const svc = z.object({
  credits_charged: creditsNumber,
  margin_bps: z.int(),
  estimated: z.boolean().describe('True: the charge is by the length of the audio, known before it was heard.'),
  state: chargeState,
})

const usage = z.looseObject({
  type: z.literal('duration'),
  seconds: z.number().describe('Seconds that are charged, begun ones whole.'),
})

/** All ten fields are there, zero or empty where the model sends none. */
const segment = z.looseObject({
  id: z.union([z.int(), z.string()]),
  seek: z.number().optional(),
  start: z.number(),
  end: z.number(),
  text: z.string(),
  tokens: z.array(z.number()).optional(),
  temperature: z.number().optional(),
  avg_logprob: z.number().optional(),
  compression_ratio: z.number().optional(),
  no_speech_prob: z.number().optional(),
})

/** The JSON answer: `text` alone with `json`, the rest with `verbose_json` and `diarized_json`. */
export const transcript = z.looseObject({
  text: z.string(),
  task: z.string().optional(),
  language: z.string().optional(),
  duration: z.number().optional().describe('Seconds.'),
  segments: z.array(segment).optional(),
  words: z.array(z.looseObject({ word: z.string(), start: z.number(), end: z.number() })).optional(),
  usage,
  svc,
})

const eventUsage = z
  .looseObject({
    type: z.literal('tokens'),
    ...{ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() },
    seconds: z.number().describe('Seconds that are charged, begun ones whole.'),
  })
  .describe('Tokens where the upstream counts them, else 0: the charge is by seconds.')

/** An event of a streamed transcript. Source: OpenAI, transcription events. */
export const transcriptEvent = z.union([
  z.looseObject({ type: z.literal('transcript.text.delta'), delta: z.string() }),
  z.looseObject({ type: z.literal('transcript.text.segment') }),
  z.looseObject({ type: z.literal('transcript.text.done'), text: z.string(), usage: eventUsage, svc }),
])
