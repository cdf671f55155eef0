/**
 * The client's error when an upstream fails. One table for all adapters: they say what happened, this file says how
 * it looks. Our upstream account's lack of credit or a refused key is our problem, never the client's 401 or 402.
 * Source: decision 0018.
 */
import { ownMember, type ErrorCode } from '@svc/contract'
import { ServiceError, type ServiceErrorOptions } from '../platform/errors/service-error.ts'
import type { AttoUsd, ChatUsage } from '../pricing/price.ts'
import { UnsentError } from './http-exchange.ts'
import type { ImageUsage } from './image-upstream.ts'
import { loggableCodes, showableText } from './upstream-words.ts'

/** A failure as an adapter understands it. */
export type FailureKind =
  | 'rejected_request'
  | 'context_length'
  | 'content_policy'
  | 'too_large'
  | 'unknown_model'
  | 'our_account'
  | 'forbidden'
  | 'rate_limited'
  | 'overloaded'
  | 'timeout'
  | 'unreachable'
  | 'circuit_open'
  | 'busy'
  | 'empty'
  | 'broken'

interface FailureRow {
  readonly code: ErrorCode
  readonly message: string
  /** Whether the upstream's own sentence may replace ours: it speaks about the client's request. */
  readonly showsUpstreamText: boolean
}

const failures: Readonly<Record<FailureKind, FailureRow>> = {
  rejected_request: {
    code: 'upstream_rejected_request',
    message: 'The model refused this request.',
    showsUpstreamText: true,
  },
  context_length: {
    code: 'context_length_exceeded',
    message: 'The request is longer than the model can take.',
    showsUpstreamText: true,
  },
  content_policy: {
    code: 'content_policy_violation',
    message: 'The model provider refused the content of this request.',
    showsUpstreamText: true,
  },
  too_large: {
    code: 'request_too_large',
    message: 'The request is larger than the model can take.',
    showsUpstreamText: true,
  },
  unknown_model: {
    code: 'model_not_found',
    message: 'The model is not offered by its upstream at the moment.',
    showsUpstreamText: false,
  },
  our_account: {
    code: 'upstream_unavailable',
    message: 'The upstream cannot serve this gateway at the moment. You were not charged.',
    showsUpstreamText: false,
  },
  forbidden: {
    code: 'upstream_unavailable',
    message: 'The upstream cannot serve this gateway at the moment. You were not charged.',
    showsUpstreamText: false,
  },
  rate_limited: {
    code: 'server_is_overloaded',
    message: 'The upstream takes no more requests at the moment. You were not charged; try again shortly.',
    showsUpstreamText: false,
  },
  overloaded: {
    code: 'server_is_overloaded',
    message: 'The upstream is overloaded. You were not charged; try again shortly.',
    showsUpstreamText: false,
  },
  timeout: { code: 'upstream_timeout', message: 'The upstream took too long to answer.', showsUpstreamText: false },
  unreachable: {
    code: 'upstream_unavailable',
    message: 'The upstream cannot be reached at the moment. You were not charged.',
    showsUpstreamText: false,
  },
  circuit_open: {
    code: 'upstream_unavailable',
    message: 'The upstream has failed lately and is left alone for a moment. You were not charged.',
    showsUpstreamText: false,
  },
  busy: {
    code: 'server_is_overloaded',
    message: 'The model has more requests than it can take at the moment. You were not charged; try again shortly.',
    showsUpstreamText: false,
  },
  empty: {
    code: 'upstream_empty',
    message: 'The model answered without any content. You were not charged.',
    showsUpstreamText: false,
  },
  broken: { code: 'upstream_error', message: 'The upstream failed to answer properly.', showsUpstreamText: false },
}

/** Seconds until a retry makes sense when the upstream does not say. Source: own choice. */
const RETRY_AFTER_DEFAULT_SECONDS = 2
const retryable: ReadonlySet<FailureKind> = new Set([
  'rate_limited',
  'overloaded',
  'our_account',
  'forbidden',
  'unreachable',
  'circuit_open',
  'busy',
])

/** Failures that another upstream need not share: they do not speak about the request itself. */
const avoidable: ReadonlySet<FailureKind> = new Set([
  'unknown_model',
  'our_account',
  'forbidden',
  'rate_limited',
  'overloaded',
  'timeout',
  'unreachable',
  'circuit_open',
  'busy',
  'broken',
])

/** What a thrower says of a failed call. */
interface UpstreamFailureOptions extends ServiceErrorOptions {
  readonly isUnbilled: boolean
  readonly upstreamStatus: number | null
  readonly names?: readonly string[]
  readonly isByWords?: boolean
  readonly waitMs: number | null
  readonly cost: AttoUsd | null
  readonly usage: ChatUsage | null
  readonly generationId: string | null
}

/** A failed call to an upstream, with what decides whether and where it may be repeated. */
export class UpstreamFailure extends ServiceError {
  readonly kind: FailureKind
  /** True when it is certain that nothing was billed, and when the failure does not speak about the request itself. */
  readonly isRepeatable: boolean
  /** The status of its answer; null where there was none, and inside a stream. */
  readonly upstreamStatus: number | null
  /** Parts of the request that its answer names. */
  readonly names: readonly string[]
  /** Whether its words alone say that our account is refused, and no status. */
  readonly isByWords: boolean
  /** How long the upstream itself asks to wait, in milliseconds; null when it does not say. */
  readonly waitMs: number | null
  /** What the upstream says that the failed answer cost; null when it does not say. */
  readonly cost: AttoUsd | null
  /** What the upstream counted for an answer that cannot be delivered; null where it counted nothing. */
  readonly usage: ChatUsage | null
  /** Of an answer that broke off: by what its cost can be looked up; null where the upstream gave none. */
  readonly generationId: string | null

  constructor(kind: FailureKind, message: string, options: UpstreamFailureOptions) {
    super(failures[kind].code, message, options)
    this.kind = kind
    this.isRepeatable = options.isUnbilled && avoidable.has(kind) && (options.cost ?? 0n) === 0n
    this.upstreamStatus = options.upstreamStatus
    this.names = options.names ?? []
    this.isByWords = options.isByWords ?? false
    this.waitMs = options.waitMs
    this.cost = options.cost
    this.usage = options.usage
    this.generationId = options.generationId
  }

  override get options(): UpstreamFailureOptions {
    const { isRepeatable: isUnbilled, upstreamStatus, names, isByWords, waitMs, cost, usage, generationId } = this
    return { ...super.options, isUnbilled, upstreamStatus, names, isByWords, waitMs, cost, usage, generationId }
  }
}

/** What an upstream has reported of its bill for one answer; null where it has reported nothing. */
export interface UpstreamBill {
  readonly cost: AttoUsd | null
  /** What the answer is counted by, for an upstream that bills by that. */
  readonly usage?: ChatUsage | ImageUsage | null
  /** By what the cost can be looked up. */
  readonly generationId: string | null
}

/** The bill of a call that failed, wherever in its causes the upstream's failure is; null where there is none. */
export function billOf(error: unknown): UpstreamBill | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof UpstreamFailure) return cause
  return null
}

/** The same failure, with what the upstream had reported of its bill when the answer failed. */
export function withBill(
  error: Error,
  upstream: string,
  bill: Pick<UpstreamFailure, 'cost' | 'usage' | 'generationId'>,
): Error {
  const { cost, usage, generationId } = bill
  if (cost === null && usage === null && generationId === null) return error
  if (error instanceof UpstreamFailure) {
    const { kind, message, options, cause } = error
    const bills = { cost: cost ?? error.cost, usage, generationId: generationId ?? error.generationId }
    return new UpstreamFailure(kind, message, { ...options, cause, ...bills })
  }
  if (!(error instanceof ServiceError)) return upstreamFailure('broken', { upstream, cause: error, ...bill })
  // A caller ended the call with a verdict of its own, which stays the client's error.
  const cause = upstreamFailure('broken', { upstream, cause: error.cause, ...bill })
  return new ServiceError(error.code, error.message, { ...error.options, cause })
}

/**
 * Makes the error that the client sees. `upstreamText` is shown only where it speaks about the client's own request.
 */
export function upstreamFailure(
  kind: FailureKind,
  facts: {
    readonly upstream: string
    readonly upstreamText?: unknown
    /** What the upstream or the transport calls the failure: logged. */
    readonly upstreamCodes?: readonly string[]
    readonly apiKey?: string | null
    readonly retryAfterSeconds?: number | null
    readonly status?: number
    /** Parts of the request that the upstream's answer names. */
    readonly names?: readonly string[]
    /** As in the failure; false when absent. */
    readonly isByWords?: boolean
    /** Whether it is certain that the upstream has billed nothing; false when absent. */
    readonly isUnbilled?: boolean
    /** What it says that its failure cost; null or absent when it does not say. */
    readonly cost?: AttoUsd | null
    /** What it counted for an answer that cannot be delivered. */
    readonly usage?: ChatUsage | null
    /** By what the cost of an answer that broke off can be looked up. */
    readonly generationId?: string | null
    readonly cause?: unknown
  },
): UpstreamFailure {
  const row = failures[kind]
  const apiKey = facts.apiKey ?? null
  const text = showableText(facts.upstreamText, apiKey)
  const codes = loggableCodes(facts.upstreamCodes ?? [], apiKey)
  const seconds = facts.retryAfterSeconds ?? null
  return new UpstreamFailure(kind, row.showsUpstreamText && text !== null ? text : row.message, {
    internal: { upstream: facts.upstream, failure: kind, upstreamStatus: facts.status ?? null, upstreamCodes: codes },
    cause: facts.cause,
    isUnbilled: facts.isUnbilled ?? false,
    upstreamStatus: facts.status ?? null,
    names: facts.names ?? [],
    isByWords: facts.isByWords ?? false,
    waitMs: seconds === null ? null : seconds * 1_000,
    cost: facts.cost ?? null,
    usage: facts.usage ?? null,
    generationId: facts.generationId ?? null,
    ...(retryable.has(kind) ? { retryAfterSeconds: seconds ?? RETRY_AFTER_DEFAULT_SECONDS } : {}),
  })
}

const transportKinds: Readonly<Record<string, FailureKind>> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  ECONNREFUSED: 'unreachable',
  ENOTFOUND: 'unreachable',
  EAI_AGAIN: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
}

/**
 * Translates whatever an exchange failed with. A `ServiceError` passes through: a caller aborted with a verdict. What
 * was never sent cannot have been billed; of everything else it is unknown.
 *
 * @param generationId of an answer that had begun; null where it had not, or where the upstream gives none.
 */
export function transportFailure(upstream: string, thrown: unknown, generationId: string | null = null): ServiceError {
  const isUnsent = thrown instanceof UnsentError
  const error = isUnsent ? thrown.cause : thrown
  if (error instanceof ServiceError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const kind = ownMember(transportKinds, code) ?? (isUnsent ? 'unreachable' : 'broken')
  return upstreamFailure(kind, { upstream, upstreamCodes: [code], isUnbilled: isUnsent, generationId, cause: error })
}
