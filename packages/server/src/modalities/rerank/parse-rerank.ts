import { RERANK_DOCUMENTS_MAX, rerankRequest, type RerankRequest } from '@svc/contract'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { JsonBody } from '../../platform/json/json-body.ts'
import { type CountedJson, parseJsonObject, scanBody, SpellingCheck } from '../../pipeline/json-call.ts'
import { refuseBeyond } from '../../pipeline/within-bound.ts'
import { WorkGuard } from '../../pipeline/work-guard.ts'

/** A request to rank documents whose shape is known to be right, with the very text that the client sent. */
export interface RerankCall {
  readonly body: JsonBody
  readonly request: RerankRequest
  /** What is compared to the query: each document as text, as its model may read it. */
  readonly texts: readonly string[]
}

const spellings = new SpellingCheck(Object.keys(rerankRequest.shape))
const guard = new WorkGuard('rerank', Object.keys(rerankRequest.shape))

/** Refuses too many documents before each of them is looked at. */
function refuseCrowd({ documents }: Readonly<Record<string, unknown>>): void {
  if (!Array.isArray(documents) || documents.length <= RERANK_DOCUMENTS_MAX) return
  const message = `Invalid value for 'documents': expected at most ${RERANK_DOCUMENTS_MAX} items.`
  throw new ServiceError('invalid_value', message, { param: 'documents' })
}

function refuseEmpty(param: string): never {
  throw new ServiceError('empty_content', 'There is no text to compare. You were not charged.', { param })
}

/**
 * Reads the body of a request to rank documents. What the gateway does not read goes on unchecked, byte for byte.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, a field that we do not pass on,
 *   or a query or documents without any content.
 */
export function parseRerank(text: CountedJson): RerankCall {
  const value = parseJsonObject(text)
  refuseCrowd(value)
  const request = parseBySchema(rerankRequest, value)
  const members = scanBody(text)
  spellings.refuse(members.keys())
  const body = { text, value, members }
  // Texts have at most as many tokens as bytes.
  refuseBeyond(guard.readBody(body), { tokens: text.length, answers: 1 })
  const texts = request.documents.map((document) =>
    typeof document === 'string' ? document : JSON.stringify(document),
  )
  if (request.query.trim() === '') refuseEmpty('query')
  const isBlank = request.documents.every((document) => typeof document === 'string' && document.trim() === '')
  if (isBlank) refuseEmpty('documents')
  return { body, request, texts }
}
