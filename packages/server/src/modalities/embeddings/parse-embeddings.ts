import { EMBEDDING_INPUTS_MAX, embeddingRequest, type EmbeddingRequest } from '@svc/contract'
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

function wrong(param: string, expected: string): ServiceError {
  return new ServiceError('invalid_value', `Invalid value for '${param}': expected ${expected}.`, { param })
}

function refuseStrangers(list: readonly unknown[], path: string): void {
  const at = list.findIndex((id) => typeof id !== 'number' || id !== id >>> 0)
  if (at !== -1) throw wrong(`${path}.${at}`, 'a whole number from 0')
}

/**
 * Refuses long lists that are no input before the schema reads them: it notes each item that is wrong, in each way in
 * which a list can be read, and no other client is served meanwhile.
 */
function refuseCrowds({ input }: Readonly<Record<string, unknown>>): void {
  if (!Array.isArray(input)) return
  if (typeof input[0] !== 'number' && input.length > EMBEDDING_INPUTS_MAX) {
    throw wrong('input', `at most ${EMBEDDING_INPUTS_MAX} items`)
  }
  if (input.length > EMBEDDING_INPUTS_MAX) return refuseStrangers(input, 'input')
  for (const [index, list] of input.entries()) {
    if (Array.isArray(list) && list.length > EMBEDDING_INPUTS_MAX) refuseStrangers(list, `input.${index}`)
  }
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
  refuseCrowds(value)
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
