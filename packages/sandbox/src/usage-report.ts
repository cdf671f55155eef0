import type { TokenUsage } from './prices.ts'
import type { ChatMessage } from './chat-request.ts'

/**
 * Tokens that each message costs beside its text, and each answer before it begins. Source: the OpenAI cookbook, "How
 * to count tokens".
 */
const MESSAGE_TOKENS = 3
const ANSWER_TOKENS = 3
/** Tokens of one attachment. Source: own choice, in the range of real models. */
const IMAGE_TOKENS = 765
const LOW_DETAIL_IMAGE_TOKENS = 85
const OTHER_TOKENS = 500

/** Tokens of a prompt beside those of its text. */
export function overheadTokens(messages: readonly ChatMessage[]): number {
  let tokens = ANSWER_TOKENS
  for (const { attachments } of messages) {
    tokens += MESSAGE_TOKENS
    for (const { kind, isLowDetail } of attachments) {
      tokens += kind !== 'image' ? OTHER_TOKENS : isLowDetail ? LOW_DETAIL_IMAGE_TOKENS : IMAGE_TOKENS
    }
  }
  return tokens
}

/**
 * Writes usage as JSON text.
 *
 * @param cost decimal text in USD that is written as it is, because no float holds it exactly; null leaves the cost
 * out.
 * Source: the OpenRouter API reference, "Usage accounting".
 */
export function renderUsage(usage: TokenUsage, cost: string | null): string {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage
  const images = usage.imageOutputTokens ?? 0
  const total = promptTokens + completionTokens
  const prompt = `"cached_tokens":${cachedTokens},"cache_write_tokens":${cacheWriteTokens},"audio_tokens":0`
  const counts = `"prompt_tokens":${promptTokens},"completion_tokens":${completionTokens},"total_tokens":${total}`
  const details =
    `"prompt_tokens_details":{${prompt}},` +
    `"completion_tokens_details":{"reasoning_tokens":${reasoningTokens},"audio_tokens":0,"image_tokens":${images}}`
  const costs = cost === null ? '' : `"cost":${cost},"is_byok":false,"cost_details":{"upstream_inference_cost":null},`
  return `{${counts},${costs}${details}}`
}
