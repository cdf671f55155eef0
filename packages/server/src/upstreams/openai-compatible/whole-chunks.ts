/** A whole answer as the chunks of a stream: what each choice says, then how all of them ended, with the usage. */
import { speechOf } from './choices.ts'
import { failedChoice } from './errors.ts'
import { readFinishReason } from './finish-reason.ts'
import { isObject } from './usage.ts'

type Json = Record<string, unknown>

/** Calls of tools are numbered in chunks, and in no whole answer. */
function deltaOf(choice: Json): Json {
  const message = speechOf(choice, 'message')
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isObject) : null
  const numbered = calls === null ? {} : { tool_calls: calls.map((call, index) => ({ ...call, index })) }
  return { role: 'assistant', ...message, ...numbered }
}

/** How it ended. Which sequence ended it is read from the chunk, as it is from those of a stream. */
function endOf(choice: Json): Json {
  const { stop_reason: stop, matched_stop: matched } = choice
  return { finish_reason: readFinishReason(choice) ?? 'stop', stop_reason: stop, matched_stop: matched }
}

/** @param value a chat completion; one that has failed comes back as it is, as a chunk that says so. */
export function chunksOfWhole(value: Json): readonly Json[] {
  const choices = Array.isArray(value['choices']) ? value['choices'].filter(isObject) : []
  if (failedChoice(value) !== null) return [value]
  const { usage: _usage, x_groq: _vendor, ...common } = value
  const index = (choice: Json, place: number): unknown => choice['index'] ?? place
  const last = choices.length - 1
  return [
    ...choices.map((choice, place) => ({
      ...common,
      choices: [{ index: index(choice, place), delta: deltaOf(choice), logprobs: choice['logprobs'] ?? null }],
    })),
    ...choices.map((choice, place) => ({
      ...(place === last ? value : common),
      choices: [{ index: index(choice, place), delta: {}, ...endOf(choice) }],
    })),
  ]
}
