/** The object `response` of the Responses form, and its parts. */
import type { OutputItemType, ResponseRequest } from '@svc/contract'
import { sealDetail } from '../carried-state.ts'
import type { OfferedTools } from './offered-tools.ts'
import { type AnswerHead, countOf, recordOf, recordsOf, textOf } from '../translated-chat.ts'

type Fields = Readonly<Record<string, unknown>>

/** How an answer ended. */
export interface ResponseEnd {
  readonly finishReason: unknown
  /** Why it failed; absent where it did not. */
  readonly error?: Fields
  /** Usage of a chat; null where there is none yet. */
  readonly usage: Fields | null
}

/** A request, and the tools that its model has. */
export interface AskedResponse {
  readonly request: ResponseRequest
  readonly offered: OfferedTools
  /** Whether the answer is stored for later requests. */
  readonly isStored: boolean
}

/** The id of an answer. */
export function responseId(requestId: string): string {
  return `resp_${requestId.replaceAll('-', '')}`
}

/** What an item is, in its id. */
export type ItemKind = 'msg' | 'rs' | 'fc' | 'ctc' | 'tsc' | 'lsh' | 'sh' | 'apc' | 'cu' | 'ig'

/** The id of one of an answer's items; `place` is that in the output. */
export function itemId(kind: ItemKind, { seed }: AnswerHead, place: number): string {
  return `${kind}_${seed}_${place}`
}

/** Why an answer is not whole; null when it is. */
function incompleteReason(finishReason: unknown): string | null {
  if (finishReason === 'length') return 'max_output_tokens'
  return finishReason === 'content_filter' ? 'content_filter' : null
}

/** The status of an ended answer, and of the item that it ended in. */
export function endStatus(finishReason: unknown): 'completed' | 'incomplete' {
  return incompleteReason(finishReason) === null ? 'completed' : 'incomplete'
}

/** Counts of a chat under their other names; whatever else an upstream sends comes along. */
function renderUsage(usage: Fields): Fields {
  const {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: inputDetails,
    completion_tokens_details: outputDetails,
    ...more
  } = usage
  const inputs = recordOf(inputDetails)
  const outputs = recordOf(outputDetails)
  return {
    input_tokens: countOf(input),
    input_tokens_details: { ...inputs, cached_tokens: countOf(inputs['cached_tokens']) },
    output_tokens: countOf(output),
    output_tokens_details: { ...outputs, reasoning_tokens: countOf(outputs['reasoning_tokens']) },
    total_tokens: countOf(total),
    ...more,
  }
}

/** What was asked, said again, as the official answers do: of the tools those that the model has. */
function echo({ request, offered, isStored }: AskedResponse): Fields {
  const { text, reasoning } = request
  return {
    frequency_penalty: request['frequency_penalty'] ?? 0,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    presence_penalty: request['presence_penalty'] ?? 0,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    service_tier: request.service_tier ?? 'default',
    store: isStored,
    background: false,
    temperature: request.temperature ?? null,
    text: { ...text, format: text?.format ?? { type: 'text' } },
    tool_choice: request.tool_choice ?? 'auto',
    tools: offered.sent,
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? null,
    truncation: request.truncation ?? 'disabled',
    // The official schema knows no null here.
    ...(request.user == null ? {} : { user: request.user }),
  }
}

function statusOf(end: ResponseEnd | null): 'in_progress' | 'completed' | 'incomplete' | 'failed' {
  if (end === null) return 'in_progress'
  return end.error === undefined ? endStatus(end.finishReason) : 'failed'
}

/** Makes the object. @param end null while the answer is being made. */
export function responseObject(
  asked: AskedResponse,
  head: AnswerHead,
  answer: { readonly output: readonly Fields[]; readonly end: ResponseEnd | null },
): Record<string, unknown> {
  const { end } = answer
  const error = end?.error ?? null
  const status = statusOf(end)
  const reason = end === null ? null : incompleteReason(end.finishReason)
  return {
    id: responseId(head.requestId),
    object: 'response',
    created_at: Math.floor(head.now / 1000),
    // In seconds as all times; OpenRouter's SDK demands the field and takes null.
    completed_at: status === 'completed' ? Math.floor(Math.max(head.now, head.clock.now()) / 1000) : null,
    status,
    error: error === null ? null : { code: error['code'] ?? 'server_error', message: error['message'] },
    incomplete_details: reason === null ? null : { reason },
    model: asked.request.model,
    output: answer.output,
    ...echo(asked),
    ...(end?.usage == null ? {} : { usage: renderUsage(end.usage) }),
  }
}

/** A part with text. @param logprobs of a chat's choice. */
export function textPart(text: string, logprobs: readonly Fields[], annotations: readonly Fields[]): Fields {
  return { type: 'output_text', text, annotations, logprobs }
}

const DATA_URL = /^data:[^,]{0,256};base64,/i

/**
 * An image that the model has made, as this form has those of its image tool: the base64 alone. One that its upstream
 * only names is its address.
 */
export function imageItem(id: string, image: Fields, status: 'in_progress' | 'completed'): Fields {
  const url = textOf(recordOf(image['image_url'])['url']) ?? ''
  return {
    id,
    type: 'image_generation_call' satisfies OutputItemType,
    status,
    result: status === 'completed' ? url.replace(DATA_URL, '') : null,
  }
}

/** Details of reasoning that a model needs again, as the text that goes back with them; null where there are none. */
export function sealOf(details: readonly Fields[]): string | null {
  return details.length === 0 ? null : sealDetail({ details })
}

/** What a chat notes about its text, such as its sources: here without the name of the kind around it. */
export function annotationsOf(speech: Fields): readonly Fields[] {
  return recordsOf(speech['annotations']).map(({ type, ...rest }) => {
    const inner = typeof type === 'string' ? recordOf(rest[type]) : {}
    return Object.keys(inner).length === 0 ? { type, ...rest } : { type, ...inner }
  })
}

/** Log probabilities of one choice or chunk. */
export function logprobsOf(choice: Fields, kind: 'content' | 'refusal' = 'content'): readonly Fields[] {
  return recordsOf(recordOf(choice['logprobs'])[kind])
}
