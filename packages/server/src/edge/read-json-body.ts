import type { IncomingHttpHeaders } from 'node:http'
import type { Endpoint, UsageType } from '@svc/contract'
import { requireCredits } from '../money/billing/require-credits.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { type CountedJson, countInTurns, parseAhead } from '../pipeline/json-call.ts'
import type { Caller } from '../access/keys/caller.ts'
import type { RouteKit } from './route-kit.ts'
import { readAsCaller } from './read-as-caller.ts'
import { readBody } from './read-body.ts'
import type { RouteCall } from './route.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i

/** A body is read as it comes. @throws {ServiceError} when it says that it is compressed. */
export function refuseEncoding({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): void {
  if (/^(?:identity)?$/i.test(encoding.trim())) return
  throw new ServiceError('unsupported_media_type', 'The body must not be compressed: leave content-encoding out.')
}

/** An absent content type is taken for JSON; another one is a mistake that would go on unseen. */
export function checkContentType({ request }: RouteCall): void {
  refuseEncoding(request.headers)
  const type = request.headers['content-type']
  if (type === undefined || JSON_TYPE.test(type)) return
  throw new ServiceError('unsupported_media_type', 'The content type must be application/json.')
}

/**
 * Bodies up to this size are read before the balance is known: reading them costs less than asking. Source: decision
 * 0006.
 */
const SMALL_BODY_BYTES = 64 * 1024

/** Who pays for what kind of work. */
export interface PaidCall {
  readonly caller: Caller
  readonly endpoint: Endpoint
  readonly type: UsageType
}

/**
 * Asks for the balance before a large body, or one of unknown size, is taken into memory.
 *
 * @throws {ServiceError} 402 when nothing is available.
 */
export async function admitBody(
  deps: RouteKit,
  { request }: RouteCall,
  { caller, type }: Omit<PaidCall, 'endpoint'>,
): Promise<void> {
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (declared <= SMALL_BODY_BYTES) return
  await requireCredits({ balance: deps.balance.store, consoleUrl: deps.consoleUrl }, caller, type)
}

interface ReadJson {
  readonly body: CountedJson
  /** Must be called once the body is not needed any more. */
  readonly release: () => void
}

/**
 * Reads the JSON body of a paid request as bytes: the content type first, then the balance where the body is large,
 * then the body within its limits.
 *
 * @param paid.bytesMax longest body of this endpoint.
 * @returns the body, and the caller as their key is once the body is there.
 * @throws {ServiceError} 400, 401, 402, 403, 413 or 503.
 */
export async function readJsonBody(
  deps: RouteKit,
  call: RouteCall,
  paid: PaidCall & { readonly bytesMax: number },
): Promise<ReadJson & { readonly caller: Caller }> {
  checkContentType(call)
  await admitBody(deps, call, paid)
  const { caller, body: read } = await readAsCaller(
    deps,
    call,
    { endpoint: paid.endpoint, known: paid.caller },
    { read: () => readCounted(deps, call, paid.bytesMax), drop: ({ release }) => release() },
  )
  return { caller, ...read }
}

async function readCounted({ limits }: RouteKit, call: RouteCall, bytesMax: number): Promise<ReadJson> {
  const { bodies: budget } = limits
  const { body, release: releaseBody } = await readBody(call.request.raw, { bytesMax, budget })
  let taken = 0
  const release = (): void => {
    releaseBody()
    budget.giveValues(taken)
  }
  try {
    const { text, values } = await countInTurns(body)
    budget.takeValues(values)
    taken = values
    await parseAhead(text)
    return { body: text, release }
  } catch (error) {
    release()
    throw error
  }
}
