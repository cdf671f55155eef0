/** What an OpenAI-shaped upstream's error means. The one place that reads its statuses, types and words. */
import { ownMember } from '@svc/contract'
import { parseJsonText } from '../../platform/json/parse-json.ts'
import type { IncomingHttpHeaders } from 'node:http'
import type { AttoUsd, ChatUsage } from '../../pricing/price.ts'
import { isAccountTrouble } from '../account-troubles.ts'
import { isContextLength } from '../context-lengths.ts'
import { isContentRefusal, isFlatRefusal } from '../find-refusal.ts'
import { type FailureKind, type UpstreamFailure, upstreamFailure } from '../upstream-failure.ts'
import { isObject } from './usage.ts'

const statusKinds: Readonly<Record<number, FailureKind>> = {
  400: 'rejected_request',
  401: 'our_account',
  402: 'our_account',
  403: 'forbidden',
  404: 'unknown_model',
  408: 'timeout',
  413: 'too_large',
  415: 'rejected_request',
  422: 'rejected_request',
  429: 'rate_limited',
  451: 'content_policy',
  503: 'overloaded',
  504: 'timeout',
  524: 'timeout',
  529: 'overloaded',
}

/**
 * Words that an upstream uses for a kind of failure, in its `type`, `code` or `metadata.error_type`. Those that say
 * that content was refused are in `content-refusals.ts`, those about our account in `account-troubles.ts`, those about
 * the length of the request in `context-lengths.ts`.
 */
const wordKinds: Readonly<Record<string, FailureKind>> = {
  // Only here: validators say so of any field, deeper in their answer.
  string_too_long: 'context_length',
  rate_limit: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  rate_limit_error: 'rate_limited',
  provider_overloaded: 'overloaded',
  overloaded_error: 'overloaded',
  unavailable_error: 'overloaded',
  server_is_overloaded: 'overloaded',
  timeout: 'timeout',
  timeout_error: 'timeout',
  model_not_found: 'unknown_model',
  no_endpoints: 'unknown_model',
}

interface UpstreamError {
  readonly message: string | null
  /** A number that looks like an HTTP status, from `code`, `http_status` or `status`; null when there is none. */
  readonly status: number | null
  readonly words: readonly string[]
  readonly isModeration: boolean
  /** Seconds after which to come back, where the body says so; null where it does not. */
  readonly retryAfter: number | null
}

function statusNumber(...values: unknown[]): number | null {
  for (const value of values) {
    const number = typeof value === 'string' ? Number(value) : value
    if (typeof number === 'number' && Number.isInteger(number) && number >= 400 && number <= 599) return number
  }
  return null
}

/** A message may itself be the JSON text of an error, as proxies nest them. */
function innerMessage(message: string, depth: number): string {
  if (!/^\s*[{[]/.test(message)) return message
  const nested = parseJsonText(Buffer.from(message))
  return sentenceOf(nested, depth) ?? message
}

/** How deep a sentence may be in what is said of a failure. Source: own choice; three levels are known. */
const SENTENCE_DEPTH = 8

/**
 * The sentence in what is said of a failure: a text, `{error}`, `{message}`, `{detail}`, `{msg}`, or a list of these;
 * null where there is none. Source: FastAPI and Mistral's API reference, validation errors.
 */
function sentenceOf(said: unknown, depth = SENTENCE_DEPTH): string | null {
  if (typeof said === 'string') return depth > 0 ? innerMessage(said, depth - 1) : said
  if (depth === 0) return null
  if (Array.isArray(said)) return sentenceOf(said[0], depth - 1)
  if (!isObject(said)) return null
  return sentenceOf(said['error'] ?? said['message'] ?? said['detail'] ?? said['msg'], depth - 1)
}

/** Whether a frame of a stream, which holds neither choices nor usage, is there to say what went wrong. */
export function isComplaint(value: Readonly<Record<string, unknown>>): boolean {
  return sentenceOf(value) !== null
}

/**
 * Errors in a place of their own: of a stream that one vendor ended early, `{x_groq: {error: "…"}}`, and of a response
 * that failed, `{type: "response.failed", response: {error: {…}}}`.
 */
function vendorError({ x_groq: vendor, type, response }: Readonly<Record<string, unknown>>): unknown {
  if (isObject(vendor)) return vendor['error']
  return type === 'response.failed' && isObject(response) ? response['error'] : undefined
}

/**
 * Finds the error in a body: `{error: {…}}`, `{error: "…"}`, flat `{object: "error", message}`, under a vendor's own
 * key, or any of these in a list of one. Null when there is none.
 */
export function findError(value: unknown): UpstreamError | null {
  if (Array.isArray(value)) return value.length === 1 && !Array.isArray(value[0]) ? findError(value[0]) : null
  if (!isObject(value)) return null
  const isFlat = value['object'] === 'error' || value['type'] === 'error' || isFlatRefusal(value)
  const flat = isFlat ? value : null
  const error = value['error'] ?? flat ?? vendorError(value)
  if (error === null || error === undefined || error === false || error === '') return null
  if (!isObject(error))
    return { message: sentenceOf(error), status: null, words: [], isModeration: false, retryAfter: null }
  const metadata = isObject(error['metadata']) ? error['metadata'] : {}
  const words = [error['code'], error['type'], error['error_type'], metadata['error_type']]
  return {
    message: sentenceOf(error),
    status: statusNumber(error['code'], error['http_status'], error['status']),
    words: words.filter((word) => typeof word === 'string'),
    isModeration: Array.isArray(metadata['reasons']),
    retryAfter: waitOf(error['retry_after'] ?? retryDelay(error)),
  }
}

/** A choice that ended with an error: it carries the failure inside an answer or a chunk that says 200. */
export function failedChoice(value: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  const choices = Array.isArray(value['choices']) ? value['choices'].filter(isObject) : []
  return choices.find((choice) => choice['finish_reason'] === 'error' || isObject(choice['error'])) ?? null
}

function kindOf(value: unknown, error: UpstreamError | null, status: number | null): FailureKind {
  if (isContentRefusal(value)) return 'content_policy'
  if (isAccountTrouble(value) || isAccountTrouble(error?.message)) return 'our_account'
  if (isContextLength(value) || isContextLength(error?.message)) return 'context_length'
  for (const word of error?.words ?? []) {
    const kind = ownMember(wordKinds, word)
    if (kind !== undefined) return kind
  }
  const effective = error?.status ?? status
  if (effective === 403 && error?.isModeration === true) return 'content_policy'
  return effective === null ? 'broken' : (statusKinds[effective] ?? 'broken')
}

/** Statuses of a refusal: nothing was begun, whichever server says it. */
const refusals: ReadonlySet<number> = new Set([401, 402, 403, 404, 429])
/**
 * Statuses of an overload. A bare page of that status may come from a proxy whose server had begun, so only the
 * upstream's own word counts: an error object, or a time after which to come back.
 */
const overloads: ReadonlySet<number> = new Set([503, 529])

interface FailedAnswer {
  readonly error: UpstreamError | null
  /** Null inside a stream. */
  readonly status: number | null
  readonly kind: FailureKind
  readonly retryAfterSeconds: number | null
  readonly failuresAreFree: boolean
}

/** Whether nothing can have been billed for a failure. Source: decision 0033 (what may be repeated). */
function isUnbilled({ error, status, kind, retryAfterSeconds, failuresAreFree }: FailedAnswer): boolean {
  // The upstream's own verdict, where it is known to bill none. A timeout is the verdict of a proxy in between.
  if (failuresAreFree && error !== null && kind !== 'timeout') return true
  if (status === null || status < 400) return false
  // Who does not serve us has begun nothing.
  if (refusals.has(status) || kind === 'our_account') return true
  return overloads.has(status) && (error !== null || retryAfterSeconds !== null)
}

/** Longest wait that is passed on, in seconds: clients give up on longer ones. */
const RETRY_AFTER_MAX_SECONDS = 60

/** When to come back, in seconds, as Google writes it in the body. Source: google.rpc.RetryInfo. */
export function retryDelay({ details }: Readonly<Record<string, unknown>>): number | undefined {
  const delays = (Array.isArray(details) ? details.filter(isObject) : []).map((detail) => detail['retryDelay'])
  const [, seconds] = /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(String(delays.find((delay) => typeof delay === 'string'))) ?? []
  return seconds === undefined ? undefined : Number(seconds)
}

function waitOf(seconds: unknown): number | null {
  if (typeof seconds !== 'number' || !(seconds > 0)) return null
  return Math.min(Math.max(Math.ceil(seconds), 1), RETRY_AFTER_MAX_SECONDS)
}

/**
 * Reads `retry-after-ms`, or `retry-after` in seconds or as a date, as seconds from `now`; null when they are absent or
 * unreadable. Source: OpenAI and Azure send both.
 */
export function retryAfterSeconds(headers: IncomingHttpHeaders, now: number): number | null {
  const milliseconds = String(headers['retry-after-ms'] ?? '').trim()
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(milliseconds)) return waitOf(Math.max(Number(milliseconds), 1) / 1000)
  const value = String(headers['retry-after'] ?? '').trim()
  const seconds = /^\d+(?:\.\d+)?$/.test(value) ? Math.ceil(Number(value)) : Math.ceil((Date.parse(value) - now) / 1000)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), RETRY_AFTER_MAX_SECONDS) : null
}

/** Translates an error body, or a status without one, into the client's error. */
export function chatFailure(facts: {
  readonly upstream: string
  readonly value: unknown
  /** Null inside a stream, whose 200 says nothing. */
  readonly status: number | null
  readonly retryAfterSeconds: number | null
  /** Our key at the upstream. */
  readonly apiKey: string | null
  /** Whether this upstream is known to bill nothing for what it says that failed; false when absent. */
  readonly failuresAreFree?: boolean
  /** What the answer says that it cost; null or absent when it does not say. */
  readonly cost?: AttoUsd | null
  /** What it counts for the answer that failed; null or absent when it counts nothing. */
  readonly usage?: ChatUsage | null
  /** By what the cost of the answer can be looked up; null or absent where that is not known. */
  readonly generationId?: string | null
  /** Parts of the request that the answer names. */
  readonly names?: readonly string[]
}): UpstreamFailure {
  const error = findError(facts.value)
  const kind = kindOf(facts.value, error, facts.status)
  const waitSeconds = facts.retryAfterSeconds ?? error?.retryAfter ?? null
  return upstreamFailure(kind, {
    upstream: facts.upstream,
    // A page that holds no error by its form may still be a sentence.
    upstreamText: error?.message ?? sentenceOf(facts.value),
    upstreamCodes: error?.words ?? [],
    apiKey: facts.apiKey,
    retryAfterSeconds: waitSeconds,
    isUnbilled: isUnbilled({
      ...{ status: facts.status, failuresAreFree: facts.failuresAreFree ?? false },
      ...{ error, kind, retryAfterSeconds: waitSeconds },
    }),
    cost: facts.cost ?? null,
    usage: facts.usage ?? null,
    // What the upstream says itself is its verdict. A 200 that is no answer says nothing of what it bills: it is asked.
    generationId: facts.status === 200 && error === null ? (facts.generationId ?? null) : null,
    names: facts.names ?? [],
    isByWords: kind === 'our_account' && facts.status !== 401 && facts.status !== 402,
    ...(facts.status === null ? {} : { status: facts.status }),
  })
}
