import type { Dispatcher } from 'undici'
import { ChainUnavailableError, RpcRefusalError } from './chain-unavailable.ts'
import { postJson, PostError } from './post-json.ts'

/** One provider of a chain, asked in JSON-RPC. */
export interface JsonRpc {
  /** Names it in logs and metrics without its address, which may hold a key. */
  readonly name: string
  /**
   * Asks, and asks again where the provider says that it is busy. Every question ends within `DEADLINE_MS`.
   *
   * @returns the result, unparsed and untrusted.
   * @throws {RpcRefusalError} when the provider answers with an error.
   * @throws {ChainUnavailableError} when it does not answer, or says that it cannot now.
   */
  request(method: string, params: readonly unknown[]): Promise<unknown>
  /** Ends every question that is under way, and refuses further ones. */
  stop(): void
}

/** What happened to one question, for metrics. */
export type RpcOutcome = 'ok' | 'refused' | 'unavailable'

export interface JsonRpcOptions {
  readonly name: string
  readonly url: string
  readonly timeoutMs?: number
  /** Its connections, which it closes when it is stopped. */
  readonly dispatcher: Dispatcher
  readonly onAsked?: (outcome: RpcOutcome, elapsedMs: number) => void
}

/** Time for one answer. Source: own choice; a provider that takes longer is no help to a claim. */
const TIMEOUT_MS = 8_000
/** A transaction is run again for its trace: it must not take the time of everything else. Source: own choice. */
const TRACE_TIMEOUT_MS = 5_000
/** Time for one question with its retries, whatever wait a busy provider asks for. */
const DEADLINE_MS = 12_000
const RETRIES = 2
const RETRY_DELAY_MS = 200
/** Questions that one HTTP request carries at most. */
const BATCH_MAX = 50

/** Codes by which providers say "too many requests" or "not now": JSON-RPC, Alchemy, QuickNode. Source: viem. */
const BUSY_CODES = new Set([429, -32005, -32007, -32002, -32603, -1])

interface Question {
  readonly method: string
  readonly params: readonly unknown[]
  readonly settle: (answer: Answer) => void
}

type Answer =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'error'; readonly code: number }
  /** Nothing came that answers it. @param mayRepeat whether it is worth to ask once more at once. */
  | { readonly kind: 'none'; readonly problem: string; readonly mayRepeat: boolean }

/** Prepares a provider. Nothing is sent before the first question; questions of one moment go together. */
export function createJsonRpc(options: JsonRpcOptions): JsonRpc {
  const { name, url, timeoutMs = TIMEOUT_MS, onAsked } = options
  const stopped = new AbortController()
  const send = createSender(url, { timeoutMs, dispatcher: options.dispatcher, signal: stopped.signal })
  const ask = async (method: string, params: readonly unknown[]): Promise<Answer> => {
    const endsAt = performance.now() + DEADLINE_MS
    for (let attempt = 0; ; attempt++) {
      const answer = await send(method, params)
      const isBusy = answer.kind === 'error' && BUSY_CODES.has(answer.code)
      if (!isBusy && !(answer.kind === 'none' && answer.mayRepeat)) return answer
      const waitMs = RETRY_DELAY_MS * 2 ** attempt
      if (attempt === RETRIES || performance.now() + waitMs > endsAt) return answer
      await pause(waitMs, stopped.signal)
    }
  }
  return {
    name,
    async request(method, params) {
      const startedMs = performance.now()
      const answer = await ask(method, params)
      const failure = failureOf(name, method, answer)
      const outcome = failure === null ? 'ok' : failure instanceof RpcRefusalError ? 'refused' : 'unavailable'
      onAsked?.(outcome, performance.now() - startedMs)
      if (failure !== null) throw failure
      return answer.kind === 'result' ? answer.result : null
    },
    stop: () => {
      stopped.abort()
      void options.dispatcher.destroy()
    },
  }
}

function failureOf(name: string, method: string, answer: Answer): ChainUnavailableError | RpcRefusalError | null {
  if (answer.kind === 'result') return null
  if (answer.kind === 'none') return new ChainUnavailableError(`${name} did not answer ${method}: ${answer.problem}`)
  if (BUSY_CODES.has(answer.code)) return new ChainUnavailableError(`${name} did not answer ${method}: it is busy`)
  return new RpcRefusalError(answer.code, `${name} refused ${method} with code ${answer.code}`)
}

interface SendOptions {
  readonly timeoutMs: number
  readonly dispatcher: Dispatcher
  readonly signal: AbortSignal
}

/** Sends questions, those of one moment in one request. What takes long goes alone, so that nothing waits for it. */
function createSender(url: string, options: SendOptions) {
  let waiting: Question[] = []
  const flush = (): void => {
    const questions = waiting
    waiting = []
    for (let start = 0; start < questions.length; start += BATCH_MAX) {
      void sendTogether(url, questions.slice(start, start + BATCH_MAX), options)
    }
  }
  return (method: string, params: readonly unknown[]): Promise<Answer> => {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    const question = { method, params, settle: resolve }
    if (isSlow(method)) void sendTogether(url, [question], options)
    else if (waiting.push(question) === 1) setImmediate(flush)
    return promise
  }
}

function isSlow(method: string): boolean {
  return method.startsWith('debug_')
}

/** Never rejects: each question gets its answer. A batch that failed is asked again one by one: one may be sick. */
async function sendTogether(url: string, questions: readonly Question[], options: SendOptions): Promise<void> {
  const body = questions.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
  const isAlone = questions.length === 1
  const timeoutMs = isSlow(questions[0]?.method ?? '') ? TRACE_TIMEOUT_MS : options.timeoutMs
  try {
    const told = await postJson(url, isAlone ? body[0] : body, { ...options, timeoutMs })
    const answers = isAlone ? [told] : told
    if (!Array.isArray(answers)) throw new PostError('it answers no batches', true)
    for (const [id, { settle }] of questions.entries()) {
      const own: unknown = isAlone ? told : answers.find((each) => memberOf(each, 'id') === id)
      settle(answerFrom(own))
    }
  } catch (error) {
    if (!(error instanceof PostError)) throw error
    if (isAlone || options.signal.aborted) {
      for (const { settle } of questions) settle({ kind: 'none', problem: error.message, mayRepeat: error.mayRepeat })
    } else for (const question of questions) void sendTogether(url, [question], options)
  }
}

function answerFrom(told: unknown): Answer {
  const error = memberOf(told, 'error')
  if (error != null) {
    const code = memberOf(error, 'code')
    return { kind: 'error', code: typeof code === 'number' ? code : -32_000 }
  }
  if (typeof told === 'object' && told !== null && 'result' in told) return { kind: 'result', result: told.result }
  return { kind: 'none', problem: 'no result', mayRepeat: false }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Waits, or until it is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  const timeout = setTimeout(resolve, ms)
  const end = (): void => {
    clearTimeout(timeout)
    resolve()
  }
  signal.addEventListener('abort', end, { once: true })
  return promise.finally(() => signal.removeEventListener('abort', end))
}
