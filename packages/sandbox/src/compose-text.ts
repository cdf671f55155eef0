import type { ChatMessage, ChatRequest } from './chat-request.ts'
import type { SeededRandom } from './seeded-random.ts'

/** Longest part of a client's text that an answer repeats, in characters. */
const ECHO_MAX = 160

const openings: readonly ((model: string) => string)[] = [
  (model) => `Hello from the sandbox. I stand in for ${model}; no model was asked.`,
  (model) => `This is the sandbox, playing the part of ${model}.`,
  (model) => `You are talking to the sandbox under the name ${model}. Nothing left this machine.`,
  (model) => `Sandbox here, answering in the place of ${model}.`,
]

const hints: readonly string[] = [
  'Your balance fell by exactly the charge that comes with this answer, and GET /v1/usage explains it line by line.',
  'Ask for svc-sandbox/cut@3 to see a stream that breaks after three chunks.',
  'Ask for svc-sandbox/slow to see how your client waits, and svc-sandbox/hang to see how it gives up.',
  'Ask for svc-sandbox/402 to see the error that a client gets when credits run out.',
  'Send the same seed again and I will say the same thing again.',
  'Offer me tools and I will call one with arguments that fit its schema.',
  'Set response_format to a JSON schema and I will answer with a value that fits it.',
  'With stream set to true these words would arrive one token at a time.',
  'Set SVC_UPSTREAM, SVC_UPSTREAM_URL and SVC_UPSTREAM_API_KEY, and a real model answers in my place.',
  'Ask for svc-sandbox/empty to see that an answer without content costs nothing.',
]

const thoughts: readonly string[] = [
  'The request wants an answer, and I am only the sandbox. I should say so and leave a useful hint.',
  'Let me see what was sent. No model is needed for this: the shape of the request decides the shape of the answer.',
  'A sandbox does not think, but a client that shows reasoning needs some to show. This sentence is enough.',
]

/** Writes the sandbox's answer in words: who speaks, what was asked, what was attached, and a hint. */
export function composeText(request: ChatRequest, random: SeededRandom): string {
  const result = resultText(request)
  if (result !== null) return `${result} That is all the sandbox makes of it. ${random.pick(hints)}`
  const sentences = [random.pick(openings)(request.model)]
  const asked = request.messages.findLast(({ role }) => role === 'user')
  const echo = excerpt(asked?.text ?? '')
  sentences.push(echo === '' ? 'You sent no words.' : `You wrote: “${echo}”.`)
  sentences.push(...attachmentSentences(request.messages), ...conversationSentences(request.messages))
  sentences.push(random.pick(hints))
  return sentences.join(' ')
}

/** Writes what a reasoning model would think aloud. */
export function composeReasoning(random: SeededRandom): string {
  return random.pick(thoughts)
}

/** The object that answers `json_object`, which asks for JSON and says nothing of its form. */
export function composeObject(request: ChatRequest, random: SeededRandom): unknown {
  const asked = request.messages.findLast(({ role }) => role === 'user')
  return { from: 'sandbox', model: request.model, you_wrote: excerpt(asked?.text ?? ''), hint: random.pick(hints) }
}

/** Shortens a text to one quotable line; never cuts inside a character. */
export function excerpt(text: string): string {
  const line = text
    .slice(0, 4_000)
    .replace(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
  const characters = [...line]
  return characters.length > ECHO_MAX ? `${characters.slice(0, ECHO_MAX).join('')}…` : line
}

/** Results of tools since the assistant spoke last; images and remarks of the user may follow them. */
export function newResults({ messages }: Pick<ChatRequest, 'messages'>): readonly ChatMessage[] {
  const start = messages.findLastIndex(({ role }) => role === 'assistant') + 1
  return messages.slice(start).filter(({ role }) => role === 'tool')
}

/** What to say after results of tools; null when there are none. */
function resultText(request: ChatRequest): string | null {
  const answered = newResults(request)
  if (answered.length === 0) return null
  const names = new Map(request.messages.flatMap(({ calls }) => [...calls]))
  const results = answered.slice(0, 8).map(({ toolCallId, text }) => {
    const name = names.get(toolCallId ?? '') ?? 'that was called'
    return `The tool ${name} answered: “${excerpt(text)}”.`
  })
  return results.join(' ')
}

function attachmentSentences(messages: readonly ChatMessage[]): string[] {
  const all = messages.flatMap(({ attachments }) => attachments)
  const kinds = ['image', 'audio', 'file', 'video'] as const
  return kinds.flatMap((kind) => {
    const labels = all.filter((attachment) => attachment.kind === kind).map(({ label }) => label)
    if (labels.length === 0) return []
    const more = labels.length > 5 ? ` and ${labels.length - 5} more` : ''
    return [`Attached ${kind}: ${labels.slice(0, 5).join('; ')}${more}.`]
  })
}

function conversationSentences(messages: readonly ChatMessage[]): string[] {
  const sentences: string[] = []
  if (messages.some(({ role }) => role === 'system' || role === 'developer'))
    sentences.push('Your instructions came along too.')
  const turns = messages.filter(({ role }) => role === 'user').length
  if (turns > 1) sentences.push(`That was turn ${turns} of our talk.`)
  return sentences
}
