import type { TokenUsage } from './prices.ts'
import { type AnswerChoice, tokensOfChoice } from './answer-tokens.ts'
import type { ChatRequest } from './chat-request.ts'
import { composeChoice } from './compose-answer.ts'
import type { AnswerScript } from './fault-behaviour.ts'
import { SandboxError } from './sandbox-error.ts'
import type { SandboxTokens } from './sandbox-tokens.ts'
import { overheadTokens } from './usage-report.ts'

/** A whole answer, ready to be sent one way or the other. */
export interface SandboxAnswer {
  readonly id: string
  readonly createdMs: number
  readonly model: string
  readonly topLogprobs: number | null
  readonly choices: readonly AnswerChoice[]
  readonly promptTokens: number
  /** An image of the first choice, as a data URL; null for none. */
  readonly image: string | null
  /** Output tokens that the image counts; 0 for none. */
  readonly imageTokens: number
  readonly script: AnswerScript
  /** USD as decimal text for a usage; null where the script or the model has no cost. */
  readonly costOf: (usage: TokenUsage) => string | null
}

/** What limits a model's answers; null for no limit. */
export interface ModelLimits {
  readonly contextLength: number | null
  readonly maxOutputTokens: number | null
}

/**
 * Counts the prompt and makes the choices.
 * @throws {SandboxError} 400 when the prompt leaves no room in the context window.
 */
export async function makeChoices(
  { tokens, seed }: { readonly tokens: SandboxTokens; readonly seed: string },
  request: ChatRequest,
  script: AnswerScript,
  limits: ModelLimits,
): Promise<{ readonly choices: readonly AnswerChoice[]; readonly promptTokens: number }> {
  const promptTokens = (await tokens.count(request.promptText)) + overheadTokens(request.messages)
  const room = (limits.contextLength ?? Number.POSITIVE_INFINITY) - promptTokens
  if (room < 1) {
    const text = `This model takes ${limits.contextLength} tokens; the prompt has ${promptTokens}.`
    throw new SandboxError(400, 'context_length_exceeded', text)
  }
  const most = Number.POSITIVE_INFINITY
  const limit = Math.min(script.limit ?? most, request.maxTokens ?? most, limits.maxOutputTokens ?? most, room)
  const indexes = Array.from({ length: request.choices }, (_, index) => index)
  const choices = await Promise.all(
    indexes.map((index) => tokensOfChoice(tokens, composeChoice(request, script.shape, seed, index), limit)),
  )
  return { choices, promptTokens }
}

/** Usage of the whole answer. */
export function usageOf(answer: SandboxAnswer): TokenUsage {
  return usageAt(answer, Number.POSITIVE_INFINITY)
}

/** Usage when so many output tokens have been sent, counted over all choices in the order in which they are sent. */
export function usageAt(answer: SandboxAnswer, sent: number): TokenUsage {
  let completionTokens = 0
  let reasoningTokens = 0
  for (const { tokens } of answer.choices) {
    completionTokens += tokens.length
    for (const { part } of tokens) if (part === 'reasoning') reasoningTokens++
  }
  const { usageFactor, shape } = answer.script
  const counted = Math.min(completionTokens, sent)
  // The image comes after the last token of text.
  const imageTokens = sent >= completionTokens ? answer.imageTokens : 0
  return {
    // Nothing is billed for an answer without a token. Source: the OpenRouter documentation, "Zero completion
    // insurance".
    promptTokens: shape === 'empty' ? 0 : answer.promptTokens,
    completionTokens: (counted + imageTokens) * usageFactor,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: Math.min(reasoningTokens, counted) * usageFactor,
    ...(imageTokens === 0 ? {} : { imageOutputTokens: imageTokens * usageFactor }),
  }
}
