import { openAiVoices, type SpeechRequest } from '@svc/contract'
import type { SpeechFacts } from '../../catalog/media-offer.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'

/** Said where neither the request nor the list names a voice. Source: OpenAI's first, and the AI SDK's default. */
const DEFAULT_VOICE = openAiVoices[0]

/** Voices that an error names at most. */
const NAMED_MAX = 20

/**
 * The voice to ask the upstream for.
 *
 * A voice of the model is taken as it is. One of OpenAI's names maps to a voice of a model that has others, always to
 * the same one. Where the list names no voices, the upstream decides.
 *
 * @returns null to leave what the client wrote, or the choice, to the upstream.
 * @throws {ServiceError} `invalid_value` naming the voices that there are.
 */
export function chooseVoice(facts: SpeechFacts, asked: SpeechRequest['voice']): string | null {
  const { voices, defaultVoice, voiceRequired } = facts
  const name = typeof asked === 'object' && asked !== null ? asked.id : (asked ?? null)
  const [first] = voices
  if (first === undefined) return name === null ? (defaultVoice ?? DEFAULT_VOICE) : null
  if (name === null) return defaultVoice ?? (voiceRequired ? first : null)
  if (voices.includes(name)) return name
  const place = openAiVoices.findIndex((voice) => voice === name)
  if (place !== -1) return voices[place % voices.length] ?? first
  const named = voices.slice(0, NAMED_MAX).join(', ')
  const more = voices.length > NAMED_MAX ? ` and ${voices.length - NAMED_MAX} more` : ''
  const others = openAiVoices.filter((voice) => !voices.includes(voice))
  const standing = others.length === 0 ? '' : `, or of ${others.join(', ')}, which map to these`
  throw new ServiceError('invalid_value', `Invalid value for 'voice': expected one of ${named}${more}${standing}.`, {
    param: 'voice',
  })
}
