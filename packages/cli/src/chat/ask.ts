/** One question to a model, and what came of it. */
import type { ChatChargeBody, ChatMessage, Exact, FetchResponse } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { imageAddresses } from './answer-images.ts'
import { ReasoningCollector, reasoningOf } from './reasoning-details.ts'
import { schemaFormat } from './request-files.ts'
import { type ToolCall, ToolCallCollector, toolCallsOf } from './tool-calls.ts'

export interface Question {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  readonly maxTokens: number | null
  readonly temperature: number | null
  /** What the answer must follow; null for a text. */
  readonly schema: object | null
  /** What the model may ask for; empty for nothing. */
  readonly tools: readonly object[]
}

export interface Answer {
  readonly text: string
  /** Addresses of the images that came with it. */
  readonly images: readonly string[]
  readonly toolCalls: readonly ToolCall[]
  /** What its model reads again in the next turn; empty for nothing. */
  readonly reasoning: readonly object[]
  readonly charge: Exact<ChatChargeBody> | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly finishReason: string | null
}

/** What is known of a question that is being answered, also when it ends early. */
export interface AskProgress {
  text: string
  requestId: string | null
}

export interface AskOptions {
  readonly signal: AbortSignal
  readonly progress: AskProgress
  readonly onText: (text: string) => Promise<void>
}

/** The body of the request. Fields that the user did not set are not sent, so that the model's own defaults hold. */
export function bodyOf(question: Question): {
  readonly model: string
  readonly messages: ChatMessage[]
  readonly max_completion_tokens?: number
} {
  return {
    model: question.model,
    messages: [...question.messages],
    ...(question.maxTokens === null ? {} : { max_completion_tokens: question.maxTokens }),
    ...(question.temperature === null ? {} : { temperature: question.temperature }),
    ...(question.schema === null ? {} : { response_format: schemaFormat(question.schema) }),
    ...(question.tools.length === 0 ? {} : { tools: [...question.tools] }),
  }
}

/** What of an answer belongs to the conversation. */
export type Said = Pick<Answer, 'text' | 'toolCalls' | 'reasoning'>

/** A conversation with what the model answered. */
export function withAnswer(question: Question, { text, toolCalls, reasoning }: Said): Question {
  if (text === '' && toolCalls.length === 0) return question
  const said: ChatMessage = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...(reasoning.length === 0 ? {} : { reasoning_details: reasoning }),
  }
  return withMessages(question, [said])
}

export function withMessages(question: Question, messages: readonly ChatMessage[]): Question {
  return { ...question, messages: [...question.messages, ...messages] }
}

function noteRequestId(progress: AskProgress) {
  return (response: Pick<FetchResponse, 'headers'>): void => {
    progress.requestId = response.headers.get('x-request-id')
  }
}

/**
 * Asks and hands on the answer as it comes.
 *
 * @throws {ApiError} {ConnectionError} from the client; the abort reason when it was interrupted.
 */
export async function askStreaming(
  { client, endpoints }: ApiConnection,
  question: Question,
  options: AskOptions,
): Promise<Answer> {
  const { signal, progress } = options
  const body = { ...bodyOf(question), stream_options: { include_usage: true } }
  const call = { signal, onResponse: noteRequestId(progress) }
  const images: string[] = []
  const calls = new ToolCallCollector()
  const reasoning = new ReasoningCollector()
  let answer: Omit<Answer, 'text' | 'images' | 'toolCalls' | 'reasoning'> = {
    charge: null,
    promptTokens: null,
    completionTokens: null,
    finishReason: null,
  }
  for await (const event of client.stream(endpoints.createChatCompletion, { body }, call)) {
    const [choice] = event.choices
    const text = choice?.delta.content ?? choice?.delta.refusal ?? ''
    if (text !== '') {
      progress.text += text
      await options.onText(text)
    }
    images.push(...imageAddresses(choice?.delta))
    calls.take(choice?.delta)
    reasoning.take(choice?.delta)
    answer = {
      charge: event.svc ?? answer.charge,
      promptTokens: event.usage?.prompt_tokens ?? answer.promptTokens,
      completionTokens: event.usage?.completion_tokens ?? answer.completionTokens,
      finishReason: choice?.finish_reason ?? answer.finishReason,
    }
  }
  return { ...answer, images, toolCalls: calls.calls(), reasoning: reasoning.details(), text: progress.text }
}

/** Asks and waits for the whole answer. Gives the gateway's body, too. @throws as `askStreaming` */
export async function askWhole({ client, endpoints }: ApiConnection, question: Question, options: AskOptions) {
  const { signal, progress } = options
  const call = { signal, onResponse: noteRequestId(progress) }
  const reply = await client.call(endpoints.createChatCompletion, { body: bodyOf(question) }, call)
  const [choice] = reply.choices
  const answer: Answer = {
    text: choice?.message.content ?? choice?.message.refusal ?? '',
    images: imageAddresses(choice?.message),
    toolCalls: toolCallsOf(choice?.message),
    reasoning: reasoningOf(choice?.message),
    charge: reply.svc,
    promptTokens: reply.usage?.prompt_tokens ?? null,
    completionTokens: reply.usage?.completion_tokens ?? null,
    finishReason: choice?.finish_reason ?? null,
  }
  return { answer, reply }
}
