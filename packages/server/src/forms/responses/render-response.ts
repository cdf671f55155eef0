/** A whole chat answer as a `response`. Pure. */
import { parseJsonToPrint, type ResponseRequest } from '@svc/contract'
import { type AnswerHead, reasoningOf, recordOf, recordsOf, textOf } from '../translated-chat.ts'
import { endStatus, itemId, logprobsOf, responseObject, textPart } from './response-object.ts'

type Fields = Readonly<Record<string, unknown>>

function outputOf(choice: Fields, head: AnswerHead): readonly Fields[] {
  const message = recordOf(choice['message'])
  const status = endStatus(choice['finish_reason'])
  const output: Fields[] = []
  const reasoning = reasoningOf(message)
  if (reasoning !== null) {
    const summary = [{ type: 'summary_text', text: reasoning }]
    output.push({ id: itemId('rs', head, output.length), type: 'reasoning', summary, status: 'completed' })
  }
  const text = textOf(message['content'])
  const refusal = textOf(message['refusal'])
  const content = [
    ...(text === null ? [] : [textPart(text, logprobsOf(choice))]),
    ...(refusal === null ? [] : [{ type: 'refusal', refusal }]),
  ]
  if (content.length > 0) {
    output.push({ id: itemId('msg', head, output.length), type: 'message', status, role: 'assistant', content })
  }
  for (const call of recordsOf(message['tool_calls'])) {
    const called = recordOf(call['function'])
    const id = itemId('fc', head, output.length)
    output.push({
      ...{ id, type: 'function_call', status, call_id: textOf(call['id']) ?? id },
      ...{ name: textOf(called['name']) ?? '', arguments: textOf(called['arguments']) ?? '' },
    })
  }
  return output
}

/** Writes a chat completion as a `response`. @returns JSON text with the charge in `svc`. */
export function renderResponse(request: ResponseRequest, json: string, head: AnswerHead): string {
  const completion = recordOf(parseJsonToPrint(json))
  const choice = recordsOf(completion['choices'])[0] ?? {}
  const output = outputOf(choice, head)
  const end = { finishReason: choice['finish_reason'], usage: recordOf(completion['usage']) }
  return JSON.stringify({ ...responseObject(request, head, { output, end }), svc: completion['svc'] })
}
