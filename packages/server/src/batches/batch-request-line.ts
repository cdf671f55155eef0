/** What a line of a batch says. */
import { CUSTOM_ID_MAX } from '@svc/contract'
import { ServiceError } from '../platform/errors/service-error.ts'
import { type CountedJson, countStructure, parseJsonObject, scanBody } from '../pipeline/json-call.ts'
import type { LineEndpoint } from './batch.ts'

export interface RequestLine {
  readonly customId: string
  /** The body of the request, in the very text of the line. */
  readonly body: CountedJson
}

function wrong(param: string, expected: string): ServiceError {
  return new ServiceError('invalid_value', `Invalid value for '${param}': expected ${expected}.`, { param })
}

function required(value: Readonly<Record<string, unknown>>, name: string): unknown {
  const given = value[name] ?? null
  if (given !== null) return given
  throw new ServiceError('missing_required_parameter', `Missing required parameter: '${name}'.`, { param: name })
}

/**
 * Reads a line.
 *
 * @throws {ServiceError} 400: no JSON object, a doubled field, or one that is missing or not what it must be.
 */
export function parseRequestLine(text: Buffer, endpoint: LineEndpoint): RequestLine {
  const value = parseJsonObject(countStructure(text).text)
  const members = scanBody(text)
  const customId = required(value, 'custom_id')
  if (typeof customId !== 'string' || customId === '' || customId.length > CUSTOM_ID_MAX) {
    throw wrong('custom_id', `a text of 1 to ${CUSTOM_ID_MAX} characters`)
  }
  if (required(value, 'method') !== 'POST') throw wrong('method', "'POST'")
  if (required(value, 'url') !== endpoint) throw wrong('url', `'${endpoint}', as the batch says`)
  const body = required(value, 'body')
  if (typeof body !== 'object' || Array.isArray(body)) throw wrong('body', 'an object')
  const place = members.get('body')
  // What was counted as a part of the line is counted.
  return { customId, body: text.subarray(place?.valueStart, place?.valueEnd) as CountedJson }
}
