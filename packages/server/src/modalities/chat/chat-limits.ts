/** How many output tokens a chat request may make, before any money is asked. Pure. */
import type { ChatRequest } from '@svc/contract'
import type { Model } from '../../catalog/model.ts'

/** Replaces a maximum that no list states. Source: own choice; most models of unknown size make fewer. */
const UNKNOWN_OUTPUT_TOKENS = 32_768
/**
 * Output that is planned for even where the prompt's bound fills the window: the bound counts bytes, tokens are fewer.
 */
const OUTPUT_TOKENS_MIN = 4_096

export interface OutputLimit {
  /** The most that the answer can have, for the hold. */
  readonly tokens: number
  /** Whether the client named a limit. */
  readonly asked: boolean
  /** The limit to send where it is not the only one that the client sent; null leaves the client's own. */
  readonly sent: number | null
  /** Tokens that the model may make beside the limit; 0 in nearly every request. */
  readonly beside: number
}

/**
 * Says what limits the answer: the client's own number, never above the model's maximum, or the model's maximum alone.
 * `max_completion_tokens` wins over `max_tokens`; it is unknown which of two the upstream obeys, so both get that
 * number.
 */
export function limitOutput(
  request: Pick<ChatRequest, 'max_tokens' | 'max_completion_tokens'>,
  model: Pick<Model, 'maxOutputTokens' | 'contextLength'>,
  promptTokens: number,
): OutputLimit {
  const ceiling = model.maxOutputTokens ?? Math.min(UNKNOWN_OUTPUT_TOKENS, model.contextLength ?? UNKNOWN_OUTPUT_TOKENS)
  const asked = request.max_completion_tokens ?? request.max_tokens ?? null
  if (asked !== null) {
    const tokens = Math.min(asked, ceiling)
    const isSent = (request.max_completion_tokens ?? tokens) === tokens && (request.max_tokens ?? tokens) === tokens
    return { tokens, asked: true, sent: isSent ? null : tokens, beside: 0 }
  }
  const room = model.contextLength === null ? ceiling : model.contextLength - promptTokens
  return { tokens: Math.min(ceiling, Math.max(room, OUTPUT_TOKENS_MIN)), asked: false, sent: null, beside: 0 }
}
