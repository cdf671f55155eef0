/**
 * What an upstream needs again in the next turn, and the other forms of a chat have no place for. It goes within what
 * every client sends back as it came: the id of a call, and sealed reasoning. It is opened here, and trusted no more
 * than anything else that a client sends.
 */
import { recordOf } from './translated-chat.ts'

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
