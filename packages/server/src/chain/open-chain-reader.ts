import { DIRECT, type FindProxy, openDispatcher } from '../platform/outbound/open-dispatcher.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import type { ChainReader, ChainView, ProviderAnswer } from './chain-reader.ts'
import type { ChainRules } from './chain-rules.ts'
import { ChainUnavailableError, RpcRefusalError } from './chain-unavailable.ts'
import { checkProvider } from './check-provider.ts'
import { createJsonRpc, type JsonRpc, type RpcOutcome } from './json-rpc.ts'
import { openChainView } from './open-chain-view.ts'

export interface ChainReaderOptions {
  readonly rules: ChainRules
  /** In order of preference. */
  readonly rpcUrls: readonly string[]
  readonly clock: SystemClock
  readonly timeoutMs?: number
  /** Absent: direct connections. */
  readonly findProxy?: FindProxy
  readonly onAsked?: (provider: string, outcome: RpcOutcome, elapsedMs: number) => void
}

/** A provider that failed the check is asked again after this time. */
const RECHECK_MS = 30_000
/** One that did not answer is left alone for so long, so that a claim does not wait for it each time. */
const REST_MS = 5_000
/** One whose answers take longer on average is asked after the others, in milliseconds. Source: own choice. */
const SLOW_MS = 2_000
/** For so long; then it is given another try. */
const SLOW_REST_MS = 60_000
/** How much the newest answer counts in the average: one slow answer alone moves no node back. */
const NEWEST_SHARE = 0.25
/** Of a connection, in milliseconds. Every question has a shorter limit of its own for all of it. */
const LIMITS = { connectMs: 8_000, headersMs: 12_000, bodyMs: 12_000 }

interface Provider {
  readonly rpc: JsonRpc
  readonly view: ChainView
  /** Whether it has passed the check. */
  isTrusted: boolean
  /** Not asked before this time, by the monotonic clock. */
  restsUntil: number
  /** Asked after the others until this time, by the monotonic clock. */
  slowUntil: number
  /** How long its answers take on average, in milliseconds. */
  answerMs: number
  /** What the check found wrong. */
  wrong: readonly string[]
  /** Why it did not answer last; null once it has. */
  outage: string | null
}

/** Prepares a chain's providers. Nothing is sent before the first question. */
export function openChainReader(options: ChainReaderOptions): ChainReader {
  const { rules, clock, rpcUrls } = options
  const providers = rpcUrls.map((url, at) => openProvider(options, url, at))
  const deps = { rules, clock }
  return {
    chainId: rules.chainId,
    ask: (work) => askFirst(deps, providers, work),
    askAnother: async (than, work) => {
      const others = providers.filter(({ view }) => view !== than)
      return others.length === 0 ? null : askFirst(deps, others, work)
    },
    askEach: (work) => Promise.all(providers.map((provider) => askOne(deps, provider, work))),
    stop: () => {
      for (const { rpc } of providers) rpc.stop()
    },
    get problems() {
      return providers.flatMap(({ wrong, outage }) => (outage === null ? wrong : [...wrong, outage]))
    },
  }
}

function openProvider(options: ChainReaderOptions, url: string, at: number): Provider {
  const { rules, clock, timeoutMs, findProxy = DIRECT, onAsked } = options
  const name = `provider ${at + 1} of chain ${rules.chainId}`
  const dispatcher = openDispatcher(new URL(url), findProxy, LIMITS)
  const rpc = createJsonRpc({
    ...{ name, url, dispatcher },
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    onAsked: (outcome, elapsedMs) => {
      onAsked?.(`${at + 1}`, outcome, elapsedMs)
      noteSpeed(provider, clock.elapsed(), elapsedMs)
    },
  })
  const provider: Provider = {
    ...{ rpc, view: openChainView(rpc, rules, clock), isTrusted: false, wrong: [], outage: null },
    ...{ restsUntil: 0, slowUntil: 0, answerMs: 0 },
  }
  return provider
}

function noteSpeed(provider: Provider, now: number, elapsedMs: number): void {
  provider.answerMs += (elapsedMs - provider.answerMs) * NEWEST_SHARE
  if (provider.answerMs <= SLOW_MS) return
  provider.slowUntil = now + SLOW_REST_MS
  // What it did before says nothing when it gets another try.
  provider.answerMs = 0
}

interface ReaderDeps {
  readonly rules: ChainRules
  readonly clock: SystemClock
}

async function askFirst<T>(
  deps: ReaderDeps,
  providers: readonly Provider[],
  work: (view: ChainView) => Promise<T>,
): Promise<T> {
  // Rested ones alone, the fast ones first; where all are resting, they are asked all the same.
  const now = deps.clock.elapsed()
  const isSlow = ({ slowUntil }: Provider): number => (slowUntil > now ? 1 : 0)
  const inOrder = providers.toSorted((one, other) => isSlow(one) - isSlow(other))
  const rested = inOrder.filter(({ restsUntil }) => restsUntil <= now)
  let failure = new ChainUnavailableError(`no provider of chain ${deps.rules.chainId} can be believed`)
  for (const provider of rested.length > 0 ? rested : inOrder) {
    try {
      await admit(deps, provider)
      const result = await work(provider.view)
      provider.outage = null
      return result
    } catch (error) {
      failure = outageFrom(error)
      rest(deps, provider, failure)
    }
  }
  throw failure
}

async function askOne<T>(
  deps: ReaderDeps,
  provider: Provider,
  work: (view: ChainView) => Promise<T>,
): Promise<ProviderAnswer<T>> {
  const { name } = provider.view
  try {
    await admit(deps, provider)
    return { provider: name, answer: await work(provider.view), problem: null }
  } catch (error) {
    return { provider: name, answer: null, problem: outageFrom(error).message }
  }
}

/**
 * Where a refusal means something, the asker has taken it for that. Any other is no answer, such as that of a node
 * which is still indexing transactions: the next provider is asked.
 *
 * @throws what is neither.
 */
function outageFrom(error: unknown): ChainUnavailableError {
  if (error instanceof RpcRefusalError) return new ChainUnavailableError(error.message)
  if (error instanceof ChainUnavailableError) return error
  throw error
}

async function admit({ rules, clock }: ReaderDeps, provider: Provider): Promise<void> {
  if (provider.isTrusted) return
  if (provider.wrong.length === 0 || provider.restsUntil <= clock.elapsed()) {
    provider.wrong = await checkProvider(provider.rpc, rules)
  }
  if (provider.wrong.length > 0) throw new ChainUnavailableError(provider.wrong.join('; '), RECHECK_MS / 1_000)
  provider.isTrusted = true
}

/** A node that was away may come back as another: the check is made anew. */
function rest({ clock }: ReaderDeps, provider: Provider, error: ChainUnavailableError): void {
  const isWrong = provider.wrong.length > 0
  if (provider.restsUntil <= clock.elapsed()) provider.restsUntil = clock.elapsed() + (isWrong ? RECHECK_MS : REST_MS)
  provider.isTrusted = false
  provider.outage = isWrong ? null : error.message
}
