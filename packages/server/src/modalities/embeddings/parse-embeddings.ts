import { embeddingRequest, type EmbeddingRequest } from '@svc/contract'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { JsonBody } from '../../platform/json/json-body.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { refuseBeyond } from '../../pipeline/within-bound.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'

/** One text to turn into a vector: as it is, or as ids of tokens. */
export type EmbeddingText = string | readonly number[]

/** A request for embeddings whose shape is known to be right, with the very text that the client sent. */
export interface EmbeddingCall {
  readonly body: JsonBody
  readonly request: EmbeddingRequest
  /** At least one. */
  readonly texts: readonly EmbeddingText[]
}

const spellings = new SpellingCheck(Object.keys(embeddingRequest.shape))
const guard = new WorkGuard('embedding', Object.keys(embeddingRequest.shape))

/** A plain list of numbers is one text; every other list is one text for each entry. */
function textsOf({ input }: EmbeddingRequest): readonly EmbeddingText[] {
  if (typeof input === 'string') return [input]
  return typeof input[0] === 'number' ? [input as number[]] : (input as EmbeddingText[])
}

function refuseEmpty(texts: readonly EmbeddingText[], isList: boolean): void {
  const empty = texts.findIndex((text) => text.length === 0)
  const isBlank = texts.every((text) => typeof text === 'string' && text.trim() === '')
  if (empty === -1 && !isBlank) return
  const param = empty === -1 || !isList ? 'input' : `input.${empty}`
  throw new ServiceError('empty_content', 'There is no text to embed. You were not charged.', { param })
}

/**
 * Reads the body of a request for embeddings. What the gateway does not read goes on unchecked, byte for byte.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, a field that we do not pass on,
 *   or a text without any content.
 */
export function parseEmbeddings(text: CountedJson): EmbeddingCall {
  const value = parseJsonObject(text)
  const request = parseBySchema(embeddingRequest, value)
  const members = scanBody(text)
  spellings.refuse(members.keys())
  const body = { text, value, members }
  // Texts have at most as many tokens as bytes.
  refuseBeyond(guard.readBody(body), { tokens: text.length, answers: 1 })
  const texts = textsOf(request)
  refuseEmpty(texts, Array.isArray(request.input) && typeof request.input[0] !== 'number')
  return { body, request, texts }
}
