/** Parts of answers that the native adapters write in OpenAI's shape. */
import { type Json, present } from './request-fields.ts'

export interface NativeUsage {
  /** All of the prompt, cached or not; null where it was not counted. */
  readonly promptTokens: number | null
  /** Null where it was not counted. */
  readonly completionTokens: number | null
  /** Parts of the prompt. */
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  /** Part of those written; absent: none. */
  readonly cacheWriteLongTokens?: number
  /** Part of the completion. */
  readonly reasoningTokens: number
  /** Parts of the prompt that no cache gave, and of the completion; absent: none. */
  readonly audioInputTokens?: number
  readonly audioOutputTokens?: number
  readonly imageOutputTokens?: number
}

/** Usage as OpenAI writes it. */
export function wireUsage(usage: NativeUsage): Json {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage
  const { audioInputTokens = 0, audioOutputTokens = 0, imageOutputTokens = 0, cacheWriteLongTokens = 0 } = usage
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    prompt_tokens_details: {
      cached_tokens: cachedTokens,
      ...(cacheWriteTokens > 0 ? { cache_write_tokens: cacheWriteTokens } : {}),
      ...(cacheWriteLongTokens > 0 ? { cache_write_1h_tokens: cacheWriteLongTokens } : {}),
      ...(audioInputTokens > 0 ? { audio_tokens: audioInputTokens } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      ...(audioOutputTokens > 0 ? { audio_tokens: audioOutputTokens } : {}),
      ...(imageOutputTokens > 0 ? { image_tokens: imageOutputTokens } : {}),
    },
  }
}

/** A count of tokens; 0 where there is none. */
export function count(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0
}

/** One chunk of a stream. */
export function chunkOf(delta: Json, finishReason: string | null = null, more: Json = {}): Record<string, unknown> {
  return { choices: [{ index: 0, delta, finish_reason: finishReason }], ...present(more) }
}

/** What is said where a model refused and gave nothing else. */
export const REFUSED = {
  error: { code: 'content_policy_violation', message: 'The model refused to answer this request.' },
} as const
