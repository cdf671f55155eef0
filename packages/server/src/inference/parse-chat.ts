import { isUtf8 } from 'node:buffer'
import { chatRequest, type ChatRequest, isBlankChat, requestProblem } from '@svc/contract'
import { ServiceError } from '../errors/service-error.ts'
import { DuplicateKeyError, type JsonBody, scanMembers, textStart } from '../json/json-body.ts'

/** A chat request whose shape is known to be right, with the very text that the client sent. */
export interface ChatCall {
  readonly body: JsonBody
  readonly request: ChatRequest
}

function parseJson(text: Buffer): Record<string, unknown> {
  let value: unknown
  try {
    if (!isUtf8(text)) throw new SyntaxError('The body is not UTF-8 text')
    value = JSON.parse(text.toString('utf8', textStart(text)))
  } catch (error) {
    throw new ServiceError('invalid_json', 'The body is not valid JSON.', { cause: error })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new ServiceError('invalid_json', 'The body must be a JSON object.')
}

function scan(text: Buffer): JsonBody['members'] {
  try {
    return scanMembers(text)
  } catch (error) {
    if (!(error instanceof DuplicateKeyError)) throw error
    throw new ServiceError('invalid_value', `The field '${error.key.slice(0, 64)}' stands twice in the body.`, {
      param: error.key.slice(0, 64),
      cause: error,
    })
  }
}

/**
 * Fields that change the price, the model or the route of a request behind the gateway's back, with the values that do
 * not.
 * Source: decision 0006 (unknown fields pass, these do not).
 */
const refusedFields: Readonly<Record<string, readonly unknown[]>> = {
  models: [],
  route: [],
  plugins: [],
  provider: [],
  preset: [],
  transforms: [],
  web_search_options: [],
  service_tier: ['auto', 'default', 'standard'],
}

function refuseFields(value: Readonly<Record<string, unknown>>): void {
  for (const [field, harmless] of Object.entries(refusedFields)) {
    const sent = value[field]
    if (sent === undefined || sent === null || harmless.includes(sent)) continue
    throw new ServiceError(
      'unsupported_parameter',
      `Unsupported parameter: '${field}' would change the price or the route of the request.`,
      { param: field },
    )
  }
}

/**
 * Reads the body of a chat request. What the gateway does not read goes on unchecked, byte for byte.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled key, a field of the wrong type, a field that we do not pass on,
 *   or no content at all.
 */
export function parseChat(text: Buffer): ChatCall {
  const value = parseJson(text)
  const parsed = chatRequest.safeParse(value)
  if (!parsed.success) {
    const problem = requestProblem(parsed.error, value)
    throw new ServiceError(problem.code, problem.message, { param: problem.param })
  }
  const members = scan(text)
  refuseFields(value)
  if (isBlankChat(parsed.data)) {
    throw new ServiceError('empty_content', 'The request has no content. You were not charged.', { param: 'messages' })
  }
  return { body: { text, value, members }, request: parsed.data }
}
