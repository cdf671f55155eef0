import { countStructure, parseJsonObject, scanBody } from '../pipeline/json-call.ts'
import type { RouteKit } from './route-kit.ts'
import { readBody } from './read-body.ts'
import { checkContentType } from './read-json-body.ts'
import type { RouteCall } from './route.ts'

/** Requests that carry a few fields have small bodies. Source: own choice. */
const BODY_BYTES_MAX = 64 * 1024

export interface ObjectBody {
  readonly value: Readonly<Record<string, unknown>>
  /** The text that the client sent: for numbers whose digits matter. */
  readonly text: Buffer
}

/**
 * Reads a small JSON object whose keys appear once each.
 *
 * @throws {ServiceError} `unsupported_media_type`, `request_too_large`, `server_is_overloaded`, `invalid_json`, or
 * `invalid_value` for a key that appears twice.
 */
export async function readObjectBody({ limits }: RouteKit, call: RouteCall): Promise<ObjectBody> {
  checkContentType(call)
  const { body: text, release } = await readBody(call.request.raw, { bytesMax: BODY_BYTES_MAX, budget: limits.bodies })
  release()
  const value = parseJsonObject(countStructure(text).text)
  scanBody(text)
  return { value, text }
}
