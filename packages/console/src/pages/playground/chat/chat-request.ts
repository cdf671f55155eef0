/** The request that a turn makes, for each lane. Pure. */
import { countCharacters, type endpoints, type InputOf } from '@svc/contract'
import { lengthOf, type RequestSize } from '../pay/request-size.ts'
import { type Attachment, type Conversation, type Parameters, pathOf, shownAnswer, type Turn } from './conversation.ts'

/** The body as the gateway takes it. */
export type ChatBody = InputOf<typeof endpoints.createChatCompletion>['body']

type Message = ChatBody['messages'][number]

function userMessage(text: string, images: readonly Attachment[]): Message {
  if (images.length === 0) return { role: 'user', content: text }
  const parts = images.map(({ url }) => ({ type: 'image_url', image_url: { url } }))
  return { role: 'user', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...parts] }
}

/** What a lane said in a turn. A lane that came later takes up what the first one said. */
function spoken(turn: Turn, lane: number): string | null {
  const answer = shownAnswer(turn, lane) ?? shownAnswer(turn, 0)
  return answer === null || answer.text === '' ? null : answer.text
}

/** Everything before and in the last turn, as a lane has seen it. */
function messagesOf(conversation: Conversation, lane: number): Message[] {
  const path = pathOf(conversation)
  const { system } = conversation.parameters
  const messages: Message[] = system.trim() === '' ? [] : [{ role: 'system', content: system }]
  for (const [at, turn] of path.entries()) {
    messages.push(userMessage(turn.text, turn.images))
    const said = at === path.length - 1 ? null : spoken(turn, lane)
    if (said !== null) messages.push({ role: 'assistant', content: said })
  }
  return messages
}

function settings({ temperature, topP, maxTokens, seed, format }: Parameters): object {
  return {
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
    ...(maxTokens === null ? {} : { max_tokens: maxTokens }),
    ...(seed === null ? {} : { seed }),
    ...(format === 'json' ? { response_format: { type: 'json_object' } } : {}),
  }
}

/** @param conversation ends with the turn that is to be answered. */
export function chatBodyOf(conversation: Conversation, lane: number): ChatBody {
  const model = conversation.models[lane] ?? ''
  return { model, messages: messagesOf(conversation, lane), ...settings(conversation.parameters) }
}

/** What decides the price of a chat: how much is sent, without the data of its images. */
export function sizeOf({ model, ...body }: ChatBody): RequestSize {
  let [images, characters] = [0, 0]
  const text = JSON.stringify({ model, ...body, stream: true }, (key, value: unknown) => {
    if (typeof value !== 'string') return value
    if (key === 'content' || key === 'text') characters += countCharacters(value)
    if (key !== 'url') return value
    images += 1
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
