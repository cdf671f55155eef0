/** A whole chat answer as a `message`. Pure. */
import { parseJsonToPrint } from '@svc/contract'
import { parseExactly } from '../../platform/json/exact-json.ts'
import { parseAnswerJson } from '../../platform/json/parse-json.ts'
import { extrasOf } from '../../upstreams/openai-compatible/answer-extras.ts'
import { type PlacedThought, placeThoughts } from '../../upstreams/thought-place.ts'
import { idWithState, lateState, sealDetail } from '../carried-state.ts'
import { type AnswerHead, listsBeside, reasoningOf, recordOf, recordsOf, textOf } from '../translated-chat.ts'
import { messageEnd, messageObject, sealsOf, signedThoughts, usageOf } from './message-object.ts'

type Fields = Readonly<Record<string, unknown>>

/** The input of a tool as a value. Text that is no JSON object, such as a cut input, is put in `invalid_arguments`. */
function inputOf(text: string): Fields {
  if (text.trim() === '') return {}
  try {
    const value = parseAnswerJson(text, parseExactly)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields
  } catch {
    // Returned below as text.
  }
  return { invalid_arguments: text }
}

function thoughtsOf(message: Fields): readonly PlacedThought<Fields>[] {
  const signed = signedThoughts(message)
  if (signed.length > 0) return signed
  const reasoning = reasoningOf(message)
  const { signature, redacted } = sealsOf(message)
  const blocks: readonly Fields[] = [
    ...(reasoning === null ? [] : [{ type: 'thinking', thinking: reasoning, signature }]),
    ...redacted.map((data) => ({ type: 'redacted_thinking', data })),
  ]
  return blocks.map((item) => ({ item, place: { text: 0, calls: 0 } }))
}

function contentOf(message: Fields): readonly Fields[] {
  const text = textOf(message['content'])
  const refusal = textOf(message['refusal'])
  const state = lateState(null, message)
  const sealed = state === null ? null : sealDetail(state)
  const said: readonly Fields[] = [
    ...(text === null ? [] : [{ type: 'text', text }]),
    ...(refusal === null ? [] : [{ type: 'text', text: refusal }]),
    ...recordsOf(message['tool_calls']).map((call) => {
      const called = recordOf(call['function'])
      const input = inputOf(textOf(called['arguments']) ?? '')
      const id = idWithState(textOf(call['id']) ?? '', call)
      return { type: 'tool_use', id, name: textOf(called['name']) ?? '', input }
    }),
  ]
  const parts = said.map((item) => ({ item, text: textOf(item['text']), isCall: item['type'] === 'tool_use' }))
  return [
    ...placeThoughts(thoughtsOf(message), parts, (block, cut) => ({ ...block, text: cut })),
    ...(sealed === null ? [] : [{ type: 'redacted_thinking', data: sealed }]),
  ]
}

/** Writes a chat completion as a `message`. @returns JSON text with the charge in `svc`. */
export function renderMessage(model: string, json: string, head: AnswerHead): string {
  const completion = recordOf(parseJsonToPrint(json))
  const choice = recordsOf(completion['choices'])[0] ?? {}
  const message = recordOf(choice['message'])
  const finishReason = textOf(message['refusal']) === null ? choice['finish_reason'] : 'content_filter'
  const end = messageEnd(finishReason, choice['stop_reason'])
  const usage = usageOf(recordOf(completion['usage']))
  const answer = messageObject(model, head, { content: contentOf(message), end, usage })
  return JSON.stringify({
    ...answer,
    ...extrasOf(completion),
    ...listsBeside(message),
    svc: completion['svc'],
  })
}
