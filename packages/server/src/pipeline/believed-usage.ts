/**
 * What of an upstream's usage can be true for what was asked and what was delivered. One rule for whole answers and
 * streams of every adapter: a count that cannot be true is no count, and is replaced by our own. Pure.
 */
import { estimateUsage, type MadeMedia } from '../pricing/charge-chat.ts'
import type { ChatUsage } from '../pricing/price.ts'
import type { ReportedUsage } from '../upstreams/chat-upstream.ts'
import { withinLimit } from './kept-limit.ts'

/**
 * The most bytes that a token has: a run of blanks. Fewer tokens than the bytes fill at that length no tokenizer makes
 * of a text. Source: the longest entries of o200k_base and cl100k_base, 128 bytes each; others have shorter ones.
 */
const TOKEN_BYTES_MAX = 128

/**
 * The most tokens that a prompt or an answer has at a model whose window is not known to be longer. Source: own choice,
 * the longest window that is commonly sold.
 */
const SIDE_TOKENS_MAX = 2_097_152

/** What was counted here, for the case that the upstream counts nothing. */
export interface Counted {
  readonly promptTokens: number
  readonly outputBytes: number
  /** What was made beside the text; absent: nothing. */
  readonly media?: MadeMedia
  /** The most output tokens that the upstream may make; null where it got no limit. */
  readonly limit: number | null
  /** Those of the bytes that came after the reported count of output. */
  readonly laterBytes: number
  /** How often the price of a request is charged; absent: once. */
  readonly requests?: number
  /** Whether the answer came to its end. */
  readonly isWhole: boolean
  /** Whether the bytes have reasoning among them; else what is counted as reasoning was hidden. */
  readonly showsReasoning: boolean
  readonly choices: number
  /** The model's window in tokens; null when it is not stated. */
  readonly contextLength: number | null
}

/** Usage to charge by. */
export interface BelievedUsage {
  readonly usage: ChatUsage
  /** Whether all of it is the upstream's own. */
  readonly isReported: boolean
}

/** Believes what can be true of a report, and completes it by what was counted here. */
export function believeUsage(reported: ReportedUsage, delivered: Counted): BelievedUsage {
  const { usage, isWholeUsage = false } = reported
  const counted = isWholeUsage ? { ...delivered, laterBytes: 0 } : delivered
  if (usage === null) return { usage: estimate(counted), isReported: false }
  const prompt = believePrompt(usage, reported.lacks === 'prompt', counted)
  const output = believeOutput(usage, reported.lacks === 'output', counted)
  return {
    usage: { ...requestsOf(counted), ...usage, ...prompt, ...output },
    isReported: prompt === null && output === null,
  }
}

/** Whether a report needs no cost that is looked up late: it names all of the cost, or counts all of the answer. */
export function saysAll(reported: ReportedUsage, counted: Counted): boolean {
  const { usage, cost, isCostPartial = false } = reported
  return (cost !== null && !isCostPartial) || (usage !== null && believeUsage(reported, counted).isReported)
}

function estimate(counted: Counted): ChatUsage {
  const usage = estimateUsage(counted)
  return {
    ...requestsOf(counted),
    ...usage,
    completionTokens: withinLimit(usage.completionTokens, counted.limit),
  }
}

function requestsOf({ requests }: Counted): Pick<ChatUsage, 'requests'> {
  return requests === undefined ? {} : { requests }
}

function sideMax({ contextLength }: Counted): number {
  return Math.max(SIDE_TOKENS_MAX, contextLength ?? 0)
}

/** What replaces the reported prompt; null where it can be true. */
function believePrompt({ promptTokens }: ChatUsage, isMissing: boolean, counted: Counted): Partial<ChatUsage> | null {
  if (!isMissing && promptTokens <= sideMax(counted)) return null
  const parts = { cachedTokens: 0, cacheWriteTokens: 0, cacheWriteLongTokens: 0, audioInputTokens: 0 }
  return { promptTokens: counted.promptTokens, ...parts }
}

/** What replaces the reported output; null where it can be true. What was thought in secret stays as it was counted. */
function believeOutput(usage: ChatUsage, isMissing: boolean, counted: Counted): Partial<ChatUsage> | null {
  const { completionTokens, reasoningTokens } = usage
  const media = mediaOf(counted)
  const { outputBytes, laterBytes, isWhole, showsReasoning, choices } = counted
  const countedBytes = outputBytes - laterBytes
  const spoken = showsReasoning ? completionTokens : completionTokens - reasoningTokens
  const most = sideMax(counted) * choices
  // However short a text is, it has a token.
  const least = countedBytes > 0 ? Math.max(1, Math.floor(countedBytes / TOKEN_BYTES_MAX)) : 0
  if (completionTokens > most || spoken < least) {
    const thought = reasoningTokens > most ? 0 : reasoningTokens
    return { reasoningTokens: thought, ...withMedia(withOutput(thought, outputBytes, counted), media) }
  }
  // Of an answer that broke off a count of so little does not have its audio and images.
  const lacksMedia = !isWhole && spoken * 2 < media.completionTokens
  if (isMissing || lacksMedia) return withMedia(withOutput(completionTokens, laterBytes, counted), media)
  // A count before the last of the output is of what was before it, unless it explains all that was delivered.
  if (laterBytes === 0 || (isWhole && spoken >= tokensOf(outputBytes))) return null
  return { completionTokens: withOutput(completionTokens, laterBytes, counted) }
}

function mediaOf({ media }: Counted): ChatUsage {
  return estimateUsage({ promptTokens: 0, outputBytes: 0, ...(media === undefined ? {} : { media }) })
}

/** Tokens of text, and those of media beside them. */
function withMedia(completionTokens: number, media: ChatUsage): Partial<ChatUsage> {
  const { audioOutputTokens, imageOutputTokens } = media
  return {
    completionTokens: completionTokens + media.completionTokens,
    ...(audioOutputTokens === undefined ? {} : { audioOutputTokens }),
    ...(imageOutputTokens === undefined ? {} : { imageOutputTokens }),
  }
}

function tokensOf(outputBytes: number): number {
  return estimateUsage({ promptTokens: 0, outputBytes }).completionTokens
}

/** So many tokens, and those of so many bytes that they do not count. */
function withOutput(completionTokens: number, bytes: number, { limit }: Counted): number {
  return Math.max(withinLimit(completionTokens + tokensOf(bytes), limit), completionTokens)
}
