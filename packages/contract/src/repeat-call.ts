/** How the typed client tries a call again: only where a repetition can neither be charged nor done twice. */
import { ApiError } from './api-error.ts'
import type { Call } from './client-request.ts'
import type { ClientOptions } from './client-types.ts'
import type { CallableEndpoint } from './endpoints/endpoint.ts'
import { retryDelayMs } from './retry.ts'

const RETRIES_MAX = 2
/** How long a request of the same name is waited for, and how long between two looks, in milliseconds. */
const IN_USE_MS_MAX = 600_000
const IN_USE_MS = 1_000
const IDEMPOTENCY_KEY = 'idempotency-key'
const NAME_BYTES = 16

/** What came of one attempt. */
export type Outcome<Result> =
  | { readonly kind: 'ok'; readonly result: Result }
  | {
      readonly kind: 'failed'
      readonly error: Error
      /** Whether another attempt may succeed. */
      readonly retry: boolean
      readonly retryAfterMs: number | null
    }

/**
 * Runs attempts until one succeeds, fails for good, or was the last. A paid request gets an Idempotency-Key, unless the
 * caller has given one: the gateway works once on it, whatever became of the answers.
 *
 * @throws the error of the last attempt, or the reason of the caller's signal.
 */
export async function repeatCall<Result>(
  client: ClientOptions,
  endpoint: CallableEndpoint,
  call: Call,
  attempt: (call: Call) => Promise<Outcome<Result>>,
): Promise<Result> {
  const { signal } = call.options
  const named = endpoint.isIdempotent === true ? withName(call) : call
  const wait = client.wait ?? waitMs
  let retries = isRepeatable(endpoint) ? (client.retriesMax ?? RETRIES_MAX) : 0
  let inUseMs = retries === 0 ? 0 : IN_USE_MS_MAX
  for (let failures = 0; ;) {
    const outcome = await attempt(named)
    if (outcome.kind === 'ok') return outcome.result
    signal?.throwIfAborted()
    const { error } = outcome
    // An earlier attempt is still being worked on, though its answer was lost: its end is waited for.
    const inUse = error instanceof ApiError && error.is('idempotency_key_in_use')
    if (inUse ? inUseMs <= 0 : !outcome.retry || retries <= 0) throw error
    const ms = inUse ? (outcome.retryAfterMs ?? IN_USE_MS) : retryDelayMs(failures, outcome.retryAfterMs)
    if (inUse) inUseMs -= Math.max(ms, IN_USE_MS)
    else {
      retries -= 1
      failures += 1
    }
    client.onRetry?.({ error, waitMs: ms })
    await wait(ms, signal)
    signal?.throwIfAborted()
  }
}

function isRepeatable({ method, isRepeatable: isAlike, isIdempotent }: CallableEndpoint): boolean {
  return method === 'GET' || isAlike === true || isIdempotent === true
}

function withName(call: Call): Call {
  const { headers } = call.options
  if (Object.keys(headers ?? {}).some((name) => name.toLowerCase() === IDEMPOTENCY_KEY)) return call
  // Not randomUUID, which pages lack that were not fetched by TLS.
  const bytes = crypto.getRandomValues(new Uint8Array(NAME_BYTES))
  const name = `svc-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
  return { ...call, options: { ...call.options, headers: { ...headers, [IDEMPOTENCY_KEY]: name } } }
}

/** Ends early, without an error, when the signal fires. */
function waitMs(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end, { once: true })
    if (signal?.aborted === true) end()
  })
}
