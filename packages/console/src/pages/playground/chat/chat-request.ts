/** The request that a turn makes, for each lane. Pure. */
import { countCharacters, type endpoints, type InputOf } from '@svc/contract'
import { lengthOf, type RequestSize } from '../pay/request-size.ts'
import { messagesOfRound, objectFrom, offeredTools } from './tool-rounds.ts'
import { partOf } from './attachment-parts.ts'
import { type Attachment, type Conversation, type Parameters, pathOf, shownAnswer, type Turn } from './conversation.ts'

/** The body as the gateway takes it. */
export type ChatBody = InputOf<typeof endpoints.createChatCompletion>['body']

type Message = ChatBody['messages'][number]

function userMessage(text: string, attachments: readonly Attachment[]): Message {
  if (attachments.length === 0) return { role: 'user', content: text }
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...attachments.map(partOf)] }
}

/** What a lane said in a turn, its tools included. A lane that came later takes up what the first one said. */
function spoken(turn: Turn, lane: number): Message[] {
  const answer = shownAnswer(turn, lane) ?? shownAnswer(turn, 0)
  if (answer === null) return []
  const before = answer.rounds.flatMap(messagesOfRound)
  return answer.text === '' ? before : [...before, { role: 'assistant', content: answer.text }]
}

/** Everything before and in the last turn, as a lane has seen it. */
function messagesOf(conversation: Conversation, lane: number): Message[] {
  const path = pathOf(conversation)
  const { system } = conversation.parameters
  const messages: Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }]
  for (const [at, turn] of path.entries()) {
    messages.push(userMessage(turn.text, turn.images))
    if (at < path.length - 1) messages.push(...spoken(turn, lane))
  }
  return messages
}

function formatOf({ format, schema }: Parameters): object {
  if (format === 'json') return { response_format: { type: 'json_object' } }
  const given = format === 'schema' ? objectFrom(schema) : null
  if (given === null) return {}
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: given } } }
}

function settings(parameters: Parameters): object {
  const { temperature, topP, maxTokens, seed, effort, tools } = parameters
  return {
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(seed === null ? {} : { seed }),
    ...(effort === null ? {} : { reasoning_effort: effort }),
    ...formatOf(parameters),
    ...(tools.length === 0 ? {} : { tools: offeredTools(tools) }),
  }
}

/** @param conversation ends with the turn that is to be answered. */
export function chatBodyOf(conversation: Conversation, lane: number): ChatBody {
  const model = conversation.models[lane] ?? ''
  return { model, messages: messagesOf(conversation, lane), ...settings(conversation.parameters) }
}

/** What decides the price of a chat: how much is sent, without the data of its images and files. */
export function sizeOf({ model, ...body }: ChatBody): RequestSize {
  let [images, characters] = [0, 0]
  const text = JSON.stringify({ model, ...body, stream: true }, (key, value: unknown) => {
    if (typeof value !== 'string') return value
    if (key === 'content' || key === 'text') characters += countCharacters(value)
    if (key === 'url') images += 1
    if (key === 'data' || key === 'file_data') return value.slice(0, value.indexOf(',') + 1)
    if (key !== 'url') return value
    return value.startsWith('data:') ? value.slice(0, value.indexOf(',') + 1) : value
  })
  return {
    model,
    bytes: lengthOf(text).bytes,
    characters,
    input_images: images,
    explains: body.response_format === undefined ? 'false' : 'true',
    max_tokens: body.max_tokens ?? undefined,
  }
}
