import { countStructure, parseJsonObject, scanBody } from '../pipeline/json-call.ts'
import { readBody } from './read-body.ts'
import { checkContentType } from './read-json-body.ts'
import type { RouteKit } from './route-kit.ts'
import type { RouteCall } from './route.ts'

/** What a stranger may send. Source: own choice. */
const BODY_BYTES_MAX = 4 * 1024

/** Reads a small JSON object that came without a key. @throws {ServiceError} as `readObjectBody` does, without 401. */
export async function readPublicBody(
  deps: Pick<RouteKit, 'limits'>,
  call: RouteCall,
): Promise<Readonly<Record<string, unknown>>> {
  checkContentType(call)
  const read = await readBody(call.request.raw, { bytesMax: BODY_BYTES_MAX, budget: deps.limits.bodies })
  const { body: text, release } = read
  release()
  const value = parseJsonObject(countStructure(text).text)
  scanBody(text)
  return value
}
