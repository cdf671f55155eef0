/**
 * `truncation: "auto"`: the oldest of a conversation is left out where the whole does not fit into the model's window.
 * Source: OpenAI's API reference, `truncation`; decision 0121.
 */
import type { Caller } from '../../access/keys/caller.ts'
import type { ChatCall } from '../../modalities/chat/parse-chat.ts'
import { findChatModel } from '../../pipeline/find-model.ts'
import { type CountDeps, countPromptTokens } from '../count-prompt-tokens.ts'
import { parseTranslated, recordsOf, type TranslatedChat } from '../translated-chat.ts'

type Message = Readonly<Record<string, unknown>>

/** The part of a window that is filled where something is left out: counts differ a little. Source: own choice. */
const FILLED_PART = 0.95

/** Messages that belong together: a call without its output, or the other way round, is refused by upstreams. */
interface Group {
  readonly messages: Message[]
  bytes: number
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function isKept({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

/** @returns the messages in their order, each output with the call before it. */
function groupsOf(messages: readonly Message[]): readonly Group[] {
  const groups: Group[] = []
  for (const message of messages) {
    const last = groups.at(-1)
    const bytes = bytesOf(message)
    if (message['role'] !== 'tool' || last === undefined) groups.push({ messages: [message], bytes })
    else {
      last.messages.push(message)
      last.bytes += bytes
    }
  }
  return groups
}

/**
 * Leaves the oldest messages out, until so many bytes are gone. Instructions stay, and so do the last thing that the
 * user has said and the last message.
 */
export function leaveOut(messages: readonly Message[], bytes: number): readonly Message[] {
  const groups = groupsOf(messages)
  const asked = groups.findLastIndex(({ messages: [first] }) => first?.['role'] === 'user')
  let left = bytes
  let isCut = false
  return groups
    .filter((group, index) => {
      if (index === asked || index === groups.length - 1 || group.messages.some(isKept)) return true
      // An answer whose question is left out goes with it.
      const goesAlong = isCut && index < asked && group.messages[0]?.['role'] !== 'user'
      isCut = left > 0 || goesAlong
      if (isCut) left -= group.bytes
      return !isCut
    })
    .flatMap((group) => group.messages)
}

/** Tokens of a model's window that are left for a prompt; null where nothing says how long it is. */
function roomOf(deps: CountDeps, caller: Pick<Caller, 'models'>, { request }: ChatCall): number | null {
  const { contextLength } = findChatModel(deps, caller, request.model)
  return contextLength === null ? null : contextLength - (request.max_completion_tokens ?? request.max_tokens ?? 0)
}

/**
 * The chat, as far as the window of its model holds it. What does not fit even so goes on, and its upstream refuses it.
 *
 * @throws {ServiceError} 404, 403 or 400 for the model.
 */
export async function truncateChat(
  deps: CountDeps,
  caller: Pick<Caller, 'models'>,
  { call, fields }: Pick<TranslatedChat, 'call' | 'fields'>,
): Promise<ChatCall> {
  const room = roomOf(deps, caller, call)
  const { length } = call.body.text
  // A token has a byte at least.
  if (room === null || length <= room) return call
  const { tokens } = await countPromptTokens(deps, caller, call)
  if (tokens <= room) return call
  const bytes = length * (1 - Math.max(0, (room * FILLED_PART) / tokens))
  const messages = leaveOut(recordsOf(call.body.value['messages']), bytes)
  return parseTranslated({ ...call.body.value, messages }, { names: fields, bytes: length })
}
