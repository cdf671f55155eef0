import type { Endpoint } from '@svc/contract'
import type { Caller } from '../access/keys/caller.ts'
import { countStructure, parseJsonObject, scanBody } from '../pipeline/json-call.ts'
import type { RouteKit } from './route-kit.ts'
import { readAsCaller } from './read-as-caller.ts'
import { readBody } from './read-body.ts'
import { checkContentType } from './read-json-body.ts'
import type { RouteCall } from './route.ts'

/** Requests that carry a few fields have small bodies. Source: own choice. */
const BODY_BYTES_MAX = 64 * 1024

export interface ObjectBody {
  /** As their key is once the body is there. */
  readonly caller: Caller
  readonly value: Readonly<Record<string, unknown>>
  /** The text that the client sent: for numbers whose digits matter. */
  readonly text: Buffer
}

/**
 * Reads a small JSON object whose keys appear once each. No hold asks for the key of such a request: its row is read.
 *
 * @throws {ServiceError} `unsupported_media_type`, `request_too_large`, `server_is_overloaded`, `invalid_json`, or
 * `invalid_value` for a key that appears twice; 401, 403 for a key that may not ask any more.
 */
export async function readObjectBody(deps: RouteKit, call: RouteCall, endpoint: Endpoint): Promise<ObjectBody> {
  checkContentType(call)
  const limits = { bytesMax: BODY_BYTES_MAX, budget: deps.limits.bodies }
  const { caller, body: read } = await readAsCaller(
    deps,
    call,
    { endpoint, known: null },
    { read: () => readBody(call.request.raw, limits), drop: ({ release }) => release() },
  )
  const { body: text, release } = read
  release()
  const value = parseJsonObject(countStructure(text).text)
  scanBody(text)
  return { caller, value, text }
}
