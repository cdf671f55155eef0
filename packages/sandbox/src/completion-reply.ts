import { type AnswerChoice, textOfPart } from './answer-tokens.ts'
import { logprobOf } from './logprobs.ts'
import { type SandboxAnswer, usageOf } from './sandbox-answer.ts'
import { renderUsage } from './usage-report.ts'

/** The sentence of a failure after work began. */
const BROKEN = 'The sandbox broke off, as its model name asks it to.'

/** The error in the body or frame of a failure after work began. */
export const brokenError = {
  code: 502,
  message: BROKEN,
  metadata: { error_type: 'provider_unavailable', provider_name: 'Sandbox' },
} as const

/** Writes a whole answer as the body of a reply that is not streamed. */
export function renderCompletion(answer: SandboxAnswer): string {
  const { script } = answer
  const isBroken = script.breaks === 'error'
  const fields = JSON.stringify({
    id: answer.id,
    object: 'chat.completion',
    created: Math.floor(answer.createdMs / 1000),
    model: answer.model,
    provider: 'Sandbox',
    system_fingerprint: 'fp_sandbox',
    ...(isBroken ? { error: brokenError } : {}),
    choices: answer.choices.map((choice, index) => renderChoice(answer, choice, index, isBroken)),
  })
  if (isBroken || script.usage === 'none' || script.usage === 'late') return fields
  const usage = usageOf(answer)
  return `${fields.slice(0, -1)},"usage":${renderUsage(usage, answer.costOf(usage))}}`
}

function renderChoice(
  answer: SandboxAnswer,
  choice: AnswerChoice,
  index: number,
  isBroken: boolean,
): Readonly<Record<string, unknown>> {
  const finishReason = isBroken ? 'error' : choice.finishReason
  return {
    index,
    logprobs: renderLogprobs(answer, choice),
    finish_reason: finishReason,
    native_finish_reason: finishReason,
    message: isBroken ? { role: 'assistant', content: '' } : { ...renderMessage(choice), ...imagesOf(answer, index) },
  }
}

/** Source: the OpenRouter API reference, "Image generation": images are beside the text of a message. */
export function imagesOf({ image }: SandboxAnswer, index: number): Readonly<Record<string, unknown>> {
  if (image === null || index > 0) return {}
  return { images: [{ type: 'image_url', image_url: { url: image }, index: 0 }] }
}

function renderMessage(choice: AnswerChoice): Readonly<Record<string, unknown>> {
  const content = textOfPart(choice, 'content')
  const refusal = textOfPart(choice, 'refusal')
  const reasoning = textOfPart(choice, 'reasoning')
  const calls = choice.calls.map(({ id, name }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: textOfPart(choice, 'call', index) },
  }))
  return {
    role: 'assistant',
    content: content === '' && (calls.length > 0 || refusal !== '') ? null : content,
    refusal: refusal === '' ? null : refusal,
    reasoning: reasoning === '' ? null : reasoning,
    ...(reasoning === ''
      ? {}
      : { reasoning_details: [{ type: 'reasoning.text', text: reasoning, format: 'unknown', index: 0 }] }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function renderLogprobs({ topLogprobs }: SandboxAnswer, choice: AnswerChoice): unknown {
  if (topLogprobs === null) return null
  const content = choice.tokens.filter(({ part }) => part === 'content').map((token) => logprobOf(token, topLogprobs))
  return { content, refusal: null }
}
