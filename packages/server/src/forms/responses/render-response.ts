/** A whole chat answer as a `response`. Pure. */
import { parseJsonToPrint } from '@svc/contract'
import { extrasOf } from '../../upstreams/openai-compatible/answer-extras.ts'
import { idWithState, lateState } from '../carried-state.ts'
import { type AnswerHead, reasoningOf, recordOf, recordsOf, textOf } from '../translated-chat.ts'
import { callItemId, renderCall } from './called-items.ts'
import type { OfferedTools } from './offered-tools.ts'
import {
  annotationsOf,
  type AskedResponse,
  endStatus,
  imageItem,
  itemId,
  logprobsOf,
  responseObject,
  sealOf,
  textPart,
} from './response-object.ts'

type Fields = Readonly<Record<string, unknown>>

function outputOf(choice: Fields, head: AnswerHead, offered: OfferedTools): readonly Fields[] {
  const message = recordOf(choice['message'])
  const status = endStatus(choice['finish_reason'])
  const output: Fields[] = []
  const reasoning = reasoningOf(message)
  const sealed = sealOf(recordsOf(message['reasoning_details']))
  if (reasoning !== null || sealed !== null) {
    const summary = reasoning === null ? [] : [{ type: 'summary_text', text: reasoning }]
    const item = { id: itemId('rs', head, output.length), type: 'reasoning', summary, status: 'completed' }
    output.push({ ...item, ...(sealed === null ? {} : { encrypted_content: sealed }) })
  }
  const text = textOf(message['content'])
  const refusal = textOf(message['refusal'])
  const content = [
    ...(text === null ? [] : [textPart(text, logprobsOf(choice), annotationsOf(message))]),
    ...(refusal === null ? [] : [{ type: 'refusal', refusal }]),
  ]
  if (content.length > 0) {
    output.push({ id: itemId('msg', head, output.length), type: 'message', status, role: 'assistant', content })
  }
  for (const image of recordsOf(message['images']))
    output.push(imageItem(itemId('ig', head, output.length), image, 'completed'))
  for (const call of recordsOf(message['tool_calls'])) {
    const called = recordOf(call['function'])
    const tool = offered.find(textOf(called['name']) ?? '')
    const id = callItemId(tool, head, output.length)
    const callId = idWithState(textOf(call['id']) ?? id, call)
    output.push(renderCall(tool, { id, callId, status, said: textOf(called['arguments']) ?? '' }))
  }
  const late = lateState(null, message)
  const state = late === null ? null : sealOf([late])
  if (state !== null) {
    const id = itemId('rs', head, output.length)
    output.push({ id, type: 'reasoning', summary: [], status: 'completed', encrypted_content: state })
  }
  return output
}

/** Writes a chat completion as a `response`. @returns JSON text with the charge in `svc`. */
export function renderResponse(asked: AskedResponse, json: string, head: AnswerHead): string {
  const completion = recordOf(parseJsonToPrint(json))
  const choice = recordsOf(completion['choices'])[0] ?? {}
  const output = outputOf(choice, head, asked.offered)
  const end = { finishReason: choice['finish_reason'], usage: recordOf(completion['usage']) }
  const object = responseObject(asked, head, { output, end })
  return JSON.stringify({ ...object, ...extrasOf(completion), svc: completion['svc'] })
}
