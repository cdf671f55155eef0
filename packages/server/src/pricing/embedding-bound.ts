/** How many tokens texts have that no model answers, as those for embeddings: at most, and probably. */
import type { Nanocredits } from '@svc/contract'
import { BYTES_PER_ESTIMATED_TOKEN } from './charge-chat.ts'
import { dearestPromptRate } from './hold-bound.ts'
import type { ChatPrice } from './price.ts'
import { COUNT_FACTOR } from './prompt-bound.ts'

/** What tokenizers put around each text: its beginning and its end. Source: published tokenizers have two at most. */
const FRAME_TOKENS = 8

/** The whole is `fixed + perUnit × units`. */
interface TokensBound {
  readonly fixed: Nanocredits
  readonly perUnit: Nanocredits
  readonly units: number
}

type Text = string | readonly number[]

function clamp(tokens: number, contextLength: number | null): number {
  return contextLength === null ? tokens : Math.min(tokens, contextLength)
}

/**
 * Upper bound of the tokens of all texts: a token has at least one byte of its text, and of ids there are as many as
 * were sent. No text has more than the window.
 *
 * @param contextLength the model's window for one text, in tokens; null when it is not stated.
 *
 * Source: decision 0005 (size of a hold).
 */
export function boundTexts(texts: readonly Text[], contextLength: number | null): number {
  const sizeOf = (text: Text): number => (typeof text === 'string' ? Buffer.byteLength(text) : text.length)
  return texts.reduce((sum, text) => sum + boundText(sizeOf(text), contextLength), 0)
}

/** Upper bound of the tokens of one text. @param size UTF-8 bytes, or ids of tokens. */
export function boundText(size: number, contextLength: number | null): number {
  return clamp(size + FRAME_TOKENS, contextLength)
}

/**
 * What so many tokens can cost at most, at the upstream where they are dearest: so much for each, and the price of the
 * request.
 *
 * @param prices of every upstream that may serve the request; at least one.
 */
export function boundEmbedding(prices: readonly ChatPrice[], tokens: number): TokensBound {
  const { perToken, perRequest } = dearestPromptRate(prices, tokens)
  return { fixed: perRequest, perUnit: perToken, units: tokens }
}

/**
 * The bound again, from a count of all that is text: for a balance that does not pay for the bytes.
 *
 * @param textTokens tokens of the texts that are no ids, by our own counter.
 */
export function boundCountedTexts(texts: readonly Text[], textTokens: number): number {
  const ids = texts.reduce((sum, text) => sum + (typeof text === 'string' ? 0 : text.length), 0)
  return Math.ceil(textTokens * COUNT_FACTOR) + ids + texts.length * FRAME_TOKENS
}

/** What the texts probably have: the base of a charge when the upstream reported no usage. Four bytes are a token. */
export function estimateTexts(texts: readonly Text[]): number {
  const estimate = (text: Text): number =>
    typeof text === 'string' ? Math.ceil(Buffer.byteLength(text) / BYTES_PER_ESTIMATED_TOKEN) : text.length
  return texts.reduce((sum, text) => sum + estimate(text), 0)
}
