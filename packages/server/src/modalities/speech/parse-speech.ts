import { speechRequest, type SpeechRequest } from '@svc/contract'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { JsonBody } from '../../platform/json/json-body.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { withinBound } from '../../pipeline/within-bound.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'

/** A speech request whose shape is known to be right, with the very text that the client sent. */
export interface SpeechCall {
  readonly body: JsonBody
  readonly request: SpeechRequest
}

const spellings = new SpellingCheck(Object.keys(speechRequest.shape))
const guard = new WorkGuard('speech', Object.keys(speechRequest.shape))

/**
 * Tokens of audio that a character of text can take at most, and those that the shortest text can. Source: own choice;
 * the codecs in use make up to 83 tokens a second, of which slow speech says four characters.
 */
const AUDIO_TOKENS = { perCharacter: 32, least: 2_048 } as const

/**
 * Reads the body of a speech request. What the gateway does not read goes on unchecked, byte for byte.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, a field that we do not pass on,
 *   or nothing to say.
 */
export function parseSpeech(text: CountedJson): SpeechCall {
  const value = parseJsonObject(text)
  const request = parseBySchema(speechRequest, value)
  const members = scanBody(text)
  spellings.refuse(members.keys())
  if (request.input.trim() === '') {
    throw new ServiceError('empty_content', 'There is nothing to say. You were not charged.', { param: 'input' })
  }
  const body = { text, value, members }
  const tokens = AUDIO_TOKENS.least + AUDIO_TOKENS.perCharacter * request.input.length
  return { body: withinBound(body, guard.readBody(body), { tokens, answers: 1 }), request }
}
