import { spliceMembers } from '../../json/json-body.ts'
import type { UpstreamChatRequest } from '../chat-upstream.ts'
import type { Dialect } from './dialect.ts'

/** Says whether the client sent this member with a value: null stands for absent. */
function isSent(request: UpstreamChatRequest, key: string): boolean {
  const value = request.body.value[key]
  return value !== undefined && value !== null
}

function limitMembers(request: UpstreamChatRequest, dialect: Dialect): Map<string, string> {
  const members = new Map<string, string>()
  if (request.maxTokens === null) return members
  const sent = ['max_tokens', 'max_completion_tokens'].filter((key) => isSent(request, key))
  for (const key of sent.length > 0 ? sent : [dialect.maxTokensField]) members.set(key, String(request.maxTokens))
  return members
}

/**
 * Writes the body for the upstream: the client's own bytes with the model's id, a request for usage in streams, and a
 * limit where the gateway imposes one. Nothing of ours is added beside these. Source: decision 0006.
 */
export function buildChatBody(request: UpstreamChatRequest, dialect: Dialect): Buffer {
  const edits = limitMembers(request, dialect)
  edits.set('model', JSON.stringify(request.upstreamModel))
  if (request.stream) {
    const options = request.body.value['stream_options']
    const own = typeof options === 'object' && options !== null ? options : {}
    edits.set('stream_options', JSON.stringify({ ...own, include_usage: true }))
  }
  for (const [key, text] of dialect.extraMembers(request)) edits.set(key, text)
  return spliceMembers(request.body, edits)
}
