/**
 * What an upstream needs again in the next turn, and the other forms of a chat have no place for. It goes within what
 * every client sends back as it came: the id of a call, and sealed reasoning. It is opened here, and trusted no more
 * than anything else that a client sends.
 */
import { recordOf, recordsOf } from './translated-chat.ts'

type Fields = Readonly<Record<string, unknown>>

/** Members of a call that go back with it. Sources: Gemini's API reference, OpenAI compatibility; LiteLLM. */
const CARRIED = ['extra_content', 'thought_signature', 'provider_specific_fields'] as const

/** Longest state that is carried, in characters of JSON. Source: own choice; signatures have some thousands. */
const STATE_MAX = 65_536

const ID_MARK = '__svc_'
const SEAL_MARK = 'svc.'

function write(state: unknown): string | null {
  const json = JSON.stringify(state)
  return json.length > STATE_MAX ? null : Buffer.from(json).toString('base64url')
}

/** An object that was written; null for anything else. */
function read(text: string): Fields | null {
  if (text.length > 2 * STATE_MAX) return null
  try {
    const state: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return typeof state === 'object' && state !== null && !Array.isArray(state) ? (state as Fields) : null
  } catch {
    return null
  }
}

function carriedIn(call: Fields): Fields {
  return Object.fromEntries(CARRIED.flatMap((name) => (call[name] == null ? [] : [[name, call[name]]])))
}

/** The id of a call with what its upstream needs again; the id alone where that is nothing. */
export function idWithState(id: string, call: Fields): string {
  const carried = carriedIn(call)
  const state = Object.keys(carried).length === 0 ? null : write(carried)
  return state === null ? id : `${id}${ID_MARK}${state}`
}

/** The id that the upstream gave, and the members of its call that it needs again. */
export function readIdWithState(id: string): { readonly id: string; readonly state: Fields } {
  const at = id.indexOf(ID_MARK)
  const state = at === -1 ? null : read(id.slice(at + ID_MARK.length))
  return state === null ? { id, state: {} } : { id: id.slice(0, at), state: carriedIn(state) }
}

/** Details of reasoning as one text that only this gateway reads; null where they are too long. */
export function sealDetail(detail: Fields): string | null {
  const sealed = write(detail)
  return sealed === null ? null : `${SEAL_MARK}${sealed}`
}

/** What was sealed here; null for what was not. */
export function openDetail(sealed: string): Fields | null {
  return sealed.startsWith(SEAL_MARK) ? recordOf(read(sealed.slice(SEAL_MARK.length))) : null
}

/** The type of a state that left behind the call, or the text, that it belongs to. */
const LATE = 'svc.late_state'

/**
 * What comes once its call has left already, its id with it: a detail of reasoning that goes behind the call, and that
 * `applyLateState` brings back to it.
 *
 * @param callId as the upstream gave it; null for what belongs to the message itself.
 * @returns null where nothing came.
 */
export function lateState(callId: string | null, said: Fields): Fields | null {
  const state = callId === null ? signedIn(said) : carriedIn(said)
  return Object.keys(state).length === 0 ? null : { type: LATE, call_id: callId, ...state }
}

/** Of a message only what is signed goes back: the rest describes it. */
function signedIn({ extra_content: extra }: Fields): Fields {
  const isSigned = Object.values(recordOf(extra)).some((vendor) => 'thought_signature' in recordOf(vendor))
  return isSigned ? { extra_content: extra } : {}
}

/** Brings late states among the details of a message's reasoning back to its calls, or to the message. */
export function applyLateState(message: Record<string, unknown>): void {
  const details = message['reasoning_details']
  if (!Array.isArray(details)) return
  const isLate = (detail: unknown): boolean => recordOf(detail)['type'] === LATE
  const late = details.filter(isLate).map(recordOf)
  if (late.length === 0) return
  const rest = details.filter((detail) => !isLate(detail))
  if (rest.length > 0) message['reasoning_details'] = rest
  else delete message['reasoning_details']
  const calls = recordsOf(message['tool_calls'])
  for (const { call_id: id, ...state } of late) {
    if (id === null) Object.assign(message, signedIn(state))
    else Object.assign(calls.find((call) => call['id'] === id) ?? {}, carriedIn(state))
  }
}
