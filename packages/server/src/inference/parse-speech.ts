import { speechRequest, type SpeechRequest } from '@svc/contract'
import { parseBySchema } from '../errors/parse-by-schema.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { JsonBody } from '../json/json-body.ts'
import { parseJsonObject, refuseRouting, scanBody, SpellingCheck } from './json-call.ts'

/** A speech request whose shape is known to be right, with the very text that the client sent. */
export interface SpeechCall {
  readonly body: JsonBody
  readonly request: SpeechRequest
}

const spellings = new SpellingCheck(Object.keys(speechRequest.shape))

/**
 * Reads the body of a speech request. What the gateway does not read goes on unchecked, byte for byte.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, a field that we do not pass on,
 *   or nothing to say.
 */
export function parseSpeech(text: Buffer): SpeechCall {
  const value = parseJsonObject(text)
  const request = parseBySchema(speechRequest, value)
  const members = scanBody(text)
  spellings.refuse(members.keys())
  refuseRouting(value)
  if (request.input.trim() === '') {
    throw new ServiceError('empty_content', 'There is nothing to say. You were not charged.', { param: 'input' })
  }
  return { body: { text, value, members }, request }
}
