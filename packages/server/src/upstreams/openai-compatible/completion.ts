import type { UpstreamCompletion } from '../chat-upstream.ts'
import { extrasOf } from './answer-extras.ts'
import { cleanSpeech, measureSpeech, readNumber, speechOf } from './choices.ts'
import type { Dialect } from './dialect.ts'
import { finishWithCalls, readFinishReason, stopMember } from './finish-reason.ts'
import { readLogprobs } from './logprobs.ts'
import { isCall, wholeCall } from './tool-calls.ts'
import { isObject, NO_USAGE, readGenerationId, readModel, readUsage } from './usage.ts'

type Json = Record<string, unknown>

const COMPLETION_KEYS = ['service_tier', 'system_fingerprint'] as const

function cleanChoice(choice: Json, index: number, stops: readonly string[]) {
  const message = speechOf(choice, 'message')
  const measure = measureSpeech(message)
  const cleaned = cleanSpeech(message)
  const ended = readFinishReason(choice) ?? 'stop'
  const { tool_calls: calls, ...said } = cleaned
  const made = Array.isArray(calls) ? calls.filter(isCall).map((call: Json) => wholeCall(call, ended === 'length')) : []
  return {
    measure,
    choice: {
      index: readNumber(choice['index']) ?? index,
      message: {
        ...{ content: null, refusal: null, ...said, role: 'assistant' },
        ...(made.length > 0 ? { tool_calls: made } : {}),
      },
      logprobs: readLogprobs(choice['logprobs']),
      finish_reason: finishWithCalls(ended, measure.hasCalls),
      ...stopMember(choice, stops),
    },
  }
}

/**
 * Reads a whole answer.
 *
 * @param text the answer as it came, from which `value` was parsed.
 * @param dialect.stops sequences of the request; absent: none.
 * @returns null when it has no choices at all, so that it is no answer.
 */
export function readCompletion(
  text: Buffer,
  value: Json,
  generationId: string | null,
  dialect: Pick<Dialect, 'reportsCost' | 'generationId'> & { readonly stops?: readonly string[] },
): UpstreamCompletion | null {
  const choices = Array.isArray(value['choices']) ? value['choices'].filter(isObject) : []
  if (choices.length === 0) return null
  const cleaned = choices.map((choice, index) => cleanChoice(choice, index, dialect.stops ?? []))
  const completion: Json = {
    ...extrasOf(value),
    object: 'chat.completion',
    created: Number.isSafeInteger(value['created']) ? value['created'] : null,
    choices: cleaned.map(({ choice }) => choice),
  }
  for (const key of COMPLETION_KEYS) if (value[key] !== undefined) completion[key] = value[key]
  const reported = readUsage(value, () => text, dialect) ?? NO_USAGE
  const outputBytes = cleaned.reduce((sum, { measure }) => sum + measure.outputBytes, 0)
  return {
    ...reported,
    completion,
    generationId: generationId ?? readGenerationId(value, dialect.generationId),
    model: readModel(value),
    empty: !cleaned.some(({ measure }) => measure.hasContent),
    hasReasoning: cleaned.some(({ measure }) => measure.isReasoning),
    finishReasons: cleaned.map(({ choice }) => choice.finish_reason),
    outputBytes,
    media: {
      audioBytes: cleaned.reduce((sum, { measure }) => sum + measure.audioBytes, 0),
      images: cleaned.reduce((sum, { measure }) => sum + measure.images, 0),
    },
    outputBytesAtUsage: reported.lacks === 'output' ? 0 : outputBytes,
  }
}
