import { ChainUnavailableError, RpcRefusalError } from './chain-unavailable.ts'

/** One provider of a chain, asked in JSON-RPC. */
export interface JsonRpc {
  /** Names it in logs and metrics without its address, which may hold a key. */
  readonly name: string
  /**
   * Asks once, with a retry where the provider says that it is busy.
   *
   * @returns the result, unparsed and untrusted.
   * @throws {RpcRefusalError} when the provider answers with an error.
   * @throws {ChainUnavailableError} when it does not answer, or says that it cannot now.
   */
  request(method: string, params: readonly unknown[]): Promise<unknown>
}

/** What happened to one question, for metrics. */
export type RpcOutcome = 'ok' | 'refused' | 'unavailable'

export interface JsonRpcOptions {
  readonly name: string
  readonly url: string
  readonly timeoutMs?: number
  readonly onAsked?: (outcome: RpcOutcome, elapsedMs: number) => void
}

/** Time for one answer. Source: own choice; a provider that takes longer is no help to a claim. */
const TIMEOUT_MS = 8_000
/** Time for one question with its retries, whatever wait a busy provider asks for. */
const DEADLINE_MS = 12_000
const RETRIES = 2
const RETRY_DELAY_MS = 200
/** Questions that one HTTP request carries at most. */
const BATCH_MAX = 50

/** Codes by which providers say "too many requests" or "not now": JSON-RPC, Alchemy, QuickNode. Source: viem. */
const BUSY_CODES = new Set([429, -32005, -32007, -32002, -32603, -1])

/** Prepares a provider. Nothing is sent before the first question; the library is loaded with it. */
export function createJsonRpc({ name, url, timeoutMs = TIMEOUT_MS, onAsked }: JsonRpcOptions): JsonRpc {
  let opening: Promise<JsonRpc['request']> | null = null
  const open = async (): Promise<JsonRpc['request']> => {
    const { http } = await import('viem')
    const options = { retryCount: RETRIES, retryDelay: RETRY_DELAY_MS, timeout: timeoutMs }
    const transport = http(url, { ...options, batch: { batchSize: BATCH_MAX } })({ retryCount: RETRIES })
    return (method, params) => transport.request({ method, params }) as Promise<unknown>
  }
  return {
    name,
    async request(method, params) {
      opening ??= open()
      const ask = await opening
      const startedMs = performance.now()
      try {
        const result = await withDeadline(ask(method, params))
        onAsked?.('ok', performance.now() - startedMs)
        return result
      } catch (error) {
        const failure = failureFrom(name, method, error)
        onAsked?.(failure instanceof RpcRefusalError ? 'refused' : 'unavailable', performance.now() - startedMs)
        throw failure
      }
    },
  }
}

async function withDeadline<T>(answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timeout = setTimeout(() => reject(new Error('took too long')), DEADLINE_MS)
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timeout)
  }
}

/** The library's errors name the address in their text, so none of it is kept but kind, status and code. */
function failureFrom(name: string, method: string, error: unknown): ChainUnavailableError | RpcRefusalError {
  const code = numberOf(error, 'code')
  const status = numberOf(error, 'status')
  const kind = error instanceof Error ? error.name : 'unknown error'
  if (code !== null && !BUSY_CODES.has(code) && status === null) {
    return new RpcRefusalError(code, `${name} refused ${method} with code ${code}`)
  }
  const detail = status === null ? kind : `HTTP status ${status}`
  return new ChainUnavailableError(`${name} did not answer ${method}: ${detail}`)
}

function numberOf(error: unknown, field: 'code' | 'status'): number | null {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, field) : null
  return typeof value === 'number' ? value : null
}
