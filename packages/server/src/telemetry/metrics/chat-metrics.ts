import type { UsageStatus } from '@svc/contract'
import type { Registry } from 'prom-client'
import { REQUEST_BOUNDS } from './http-metrics.ts'
import { createTallyCounter, createTallyHistogram, type Distribution, type Tally } from './tally.ts'

/** A chat request whose hold has ended. */
export interface SettledChat {
  /** An id of the catalog's list, or `other`: never what a client made up. */
  readonly model: string
  readonly upstream: string
  readonly status: UsageStatus
  readonly errorCode: string | null
  /** From the hold to its end. */
  readonly seconds: number
  /** From the hold to the first content of a stream; null for whole answers and for streams without content. */
  readonly firstContentSeconds: number | null
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
  /** A float, for display alone: money is counted by the ledger. */
  readonly credits: number
}

/** Takes down what becomes of chat requests. */
export interface ChatMetrics {
  settled(chat: SettledChat): void
}

/** Label for models that are in no list, and for those beyond the limit below. */
export const OTHER_MODEL = 'other'

/**
 * Pairs of model and upstream with metrics of their own, over the life of the process. Source: own choice; lists have
 * hundreds.
 */
const PAIRS_MAX = 1_000

interface Cells {
  readonly model: string
  readonly status: Readonly<Record<SettledChat['status'], Tally>>
  readonly duration: Distribution
  readonly firstContent: Distribution
  readonly promptTokens: Tally
  readonly cachedTokens: Tally
  readonly completionTokens: Tally
  readonly reasoningTokens: Tally
  readonly credits: Tally
}

const LABELS = ['model', 'upstream'] as const

function registerAll(registry: Registry) {
  return {
    requests: createTallyCounter(registry, {
      name: 'svc_chat_requests_total',
      help: 'Chat requests that had a hold, by what became of them: ok, error (free), cancelled.',
      labels: [...LABELS, 'status'],
    }),
    errors: createTallyCounter(registry, {
      name: 'svc_chat_errors_total',
      help: 'Chat requests that had a hold and failed, by error code.',
      labels: [...LABELS, 'code'],
    }),
    duration: createTallyHistogram(
      registry,
      {
        name: 'svc_chat_duration_seconds',
        help: 'From the hold of a chat request to its settlement.',
        labels: LABELS,
      },
      REQUEST_BOUNDS,
    ),
    firstContent: createTallyHistogram(
      registry,
      {
        name: 'svc_chat_first_content_seconds',
        help: 'From the hold of a streamed request to its first content or reasoning.',
        labels: LABELS,
      },
      REQUEST_BOUNDS,
    ),
    tokens: createTallyCounter(registry, {
      name: 'svc_chat_tokens_total',
      help: 'Tokens of settled requests: prompt (cached among them), completion (reasoning among them).',
      labels: [...LABELS, 'kind'],
    }),
    credits: createTallyCounter(registry, {
      name: 'svc_chat_credits_charged_total',
      help: 'Credits charged; a float, for display only.',
      labels: LABELS,
    }),
  }
}

/** Registers the metrics of chat requests. */
export function createChatMetrics(registry: Registry): ChatMetrics {
  const { requests, errors, duration, firstContent, tokens, credits } = registerAll(registry)
  const makeCells = (model: string, upstream: string): Cells => ({
    model,
    status: {
      ok: requests.cell(model, upstream, 'ok'),
      incomplete: requests.cell(model, upstream, 'incomplete'),
      error: requests.cell(model, upstream, 'error'),
      cancelled: requests.cell(model, upstream, 'cancelled'),
    },
    duration: duration.cell(model, upstream),
    firstContent: firstContent.cell(model, upstream),
    promptTokens: tokens.cell(model, upstream, 'prompt'),
    cachedTokens: tokens.cell(model, upstream, 'cached'),
    completionTokens: tokens.cell(model, upstream, 'completion'),
    reasoningTokens: tokens.cell(model, upstream, 'reasoning'),
    credits: credits.cell(model, upstream),
  })
  const byUpstream = new Map<string, Map<string, Cells>>()
  let pairs = 0
  const cellsOf = (model: string, upstream: string): Cells => {
    const models = byUpstream.get(upstream) ?? new Map<string, Cells>()
    const known = models.get(model)
    if (known !== undefined) return known
    if (model !== OTHER_MODEL && pairs >= PAIRS_MAX) return cellsOf(OTHER_MODEL, upstream)
    pairs++
    const made = makeCells(model, upstream)
    byUpstream.set(upstream, models.set(model, made))
    return made
  }
  return {
    settled: (chat) => {
      const cells = cellsOf(chat.model, chat.upstream)
      cells.status[chat.status].value++
      cells.duration.observe(chat.seconds)
      if (chat.firstContentSeconds !== null) cells.firstContent.observe(chat.firstContentSeconds)
      cells.promptTokens.value += chat.promptTokens
      cells.cachedTokens.value += chat.cachedTokens
      cells.completionTokens.value += chat.completionTokens
      cells.reasoningTokens.value += chat.reasoningTokens
      cells.credits.value += chat.credits
      if (chat.errorCode !== null) errors.cell(cells.model, chat.upstream, chat.errorCode).value++
    },
  }
}
