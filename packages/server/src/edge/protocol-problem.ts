import type { IncomingMessage } from 'node:http'
import { ServiceError } from '../platform/errors/service-error.ts'
import { invalidApiKey } from '../access/keys/invalid-api-key.ts'

function problem(message: string, param: string | null = null): ServiceError {
  return new ServiceError('invalid_value', message, { param, headers: { connection: 'close' } })
}

/**
 * Headers that appear once or not at all: Node reads the first of them, others the last, or both.
 * Source: RFC 9110, section 5.3 (a sender must not send a name twice whose value is no list).
 */
const SINGLE: ReadonlySet<string> = new Set([
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'host',
  'idempotency-key',
  'transfer-encoding',
  'x-api-key',
  'x-svc-max-credits',
  'x-svc-quote',
])
const SINGLE_LENGTHS: ReadonlySet<number> = new Set([...SINGLE].map((name) => name.length))

/** Names of credentials: two of them are no valid one. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'x-api-key'])

/** The first header that appears twice and must not; null where there is none. */
function doubledHeader(rawHeaders: readonly string[]): string | null {
  let seen: string[] | null = null
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const written = rawHeaders[index] ?? ''
    if (!SINGLE_LENGTHS.has(written.length)) continue
    const name = written.toLowerCase()
    if (!SINGLE.has(name)) continue
    if (seen?.includes(name) === true) return name
    seen ??= []
    seen.push(name)
  }
  return null
}

/**
 * What is wrong with a request that a proxy in between could understand differently: a version without
 * headers, no host, or a header twice that may appear once.
 *
 * Node's own check of the host is off, because its answer has neither a body nor a request id.
 * Source: RFC 9112, sections 2.3 and 3.2.
 *
 * @returns undefined when nothing is.
 */
export function protocolProblem({ headers, rawHeaders, httpVersion }: IncomingMessage): ServiceError | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return problem('The request must be in HTTP/1.1.')
  if (headers.host === undefined && httpVersion === '1.1') return problem('The request must name one host.')
  const doubled = doubledHeader(rawHeaders)
  if (doubled === null) return undefined
  if (doubled === 'host') return problem('The request must name one host.')
  if (CREDENTIALS.has(doubled)) return invalidApiKey()
  return problem(`The header ${doubled} must appear once.`, doubled)
}
