/** What an answer cost, in one line. */
import { countText } from '../count-text.ts'
import { creditsText } from '../credits-text.ts'
import type { Answer } from './ask.ts'

/** "0.0032 credits · svc-gpt · 12 + 40 tokens"; says so where the answer was cut short. */
export function chargeNote(model: string, answer: Answer): string {
  const { charge, promptTokens, completionTokens, finishReason } = answer
  const parts = [
    charge === null
      ? 'charge unknown'
      : `${creditsText(charge.credits_charged)}${charge.estimated === true ? ' (estimated)' : ''}`,
    model,
  ]
  if (promptTokens !== null && completionTokens !== null)
    parts.push(`${countText(promptTokens)} + ${countText(completionTokens)} tokens`)
  if (finishReason === 'length') parts.push(cutBecause(charge?.max_tokens_applied ?? null))
  if (finishReason === 'tool_calls') parts.push('waits for its tools')
  if (finishReason === 'content_filter') parts.push('ended by the content filter')
  return parts.join(' · ')
}

function cutBecause(applied: number | null): string {
  return applied === null ? 'cut at the token limit' : `cut at ${applied} tokens, which is what your balance could pay`
}
