import { z } from 'zod'
import { chargeState } from './charge-state.ts'
import { MODEL_CHARACTERS_MAX } from './chat.ts'
import { creditsNumber } from './money-schema.ts'

/** Most characters of `input` and of `instructions`, counted as Unicode code points. Source: OpenAI, speech. */
export const SPEECH_CHARACTERS_MAX = 4_096

const SPEED_MIN = 0.25
const SPEED_MAX = 4

/** Voices of the OpenAI API. Models with voices of their own are given one of these for each. */
export const openAiVoices = [
  'alloy',
  'ash',
  'ballad',
  'coral',
  'echo',
  'fable',
  'onyx',
  'nova',
  'sage',
  'shimmer',
  'verse',
  'marin',
  'cedar',
] as const

export const speechResponseFormats = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const

/** The number of Unicode code points of a text: what a character is here. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const shortText = z
  .string()
  .refine((text) => countCharacters(text) <= SPEECH_CHARACTERS_MAX, {
    error: `expected at most ${SPEECH_CHARACTERS_MAX} characters.`,
  })
  .meta({ maxLength: SPEECH_CHARACTERS_MAX })

/**
 * The body of a speech request, as far as the gateway reads it. Null in an optional field is the same as its absence.
 */
export const speechRequest = z.looseObject({
  model: z.string().min(1).max(MODEL_CHARACTERS_MAX).describe('A speech model.'),
  input: shortText.describe('The text to speak. Each Unicode code point is a character, blanks too.'),
  voice: z
    .union([z.string().min(1).max(256), z.looseObject({ id: z.string().min(1).max(256) })])
    .nullish()
    .describe("A voice of the model, or one of OpenAI's names; the model's first or `alloy` by default."),
  instructions: shortText.nullish().describe('How to speak, for models that understand it.'),
  response_format: z.enum(speechResponseFormats).nullish().describe('`mp3` by default.'),
  speed: z.number().min(SPEED_MIN).max(SPEED_MAX).nullish().describe('1 by default.'),
  stream_format: z.enum(['audio', 'sse']).nullish().describe('`audio` by default: the bytes as they are made.'),
})

export type SpeechRequest = z.output<typeof speechRequest>

const svc = z.object({ credits_charged: creditsNumber, margin_bps: z.int(), state: chargeState })

/** An event of a speech answer with `stream_format: "sse"`. Source: OpenAI, speech events. */
export const speechEvent = z.union([
  z.looseObject({ type: z.literal('speech.audio.delta'), audio: z.string().describe('Base64 of the next bytes.') }),
  z.looseObject({
    type: z.literal('speech.audio.done'),
    usage: z
      .looseObject({
        ...{ type: z.literal('characters'), characters: z.int() },
        ...{ input_tokens: z.literal(0), output_tokens: z.literal(0), total_tokens: z.literal(0) },
      })
      .describe('What was counted: speech is not sold by tokens, so those are 0.'),
    svc,
  }),
])
