import { spliceMembers } from '../../platform/json/json-body.ts'
import type { UpstreamChatRequest } from '../chat-upstream.ts'
import type { Dialect } from './dialect.ts'
import { NOTHING_LEFT_OUT } from './learned-refusals.ts'
import { editParts, type WayOfWriting } from './optional-parts.ts'
import { textMembers, textWayOf } from './text-completions.ts'

/** Says whether the client sent this member with a value: null means absent. */
function isSent(request: UpstreamChatRequest, key: string): boolean {
  const value = request.body.value[key]
  return value !== undefined && value !== null
}

const LIMIT_FIELDS = ['max_completion_tokens', 'max_tokens'] as const

/**
 * The limits to write. An upstream that is known to take one field gets them in that field alone: one that does not
 * know the other would make as much as it likes, and one that knows it as outdated refuses the request.
 */
function limitMembers(
  request: UpstreamChatRequest,
  maxTokensField: Dialect['maxTokensField'],
): ReadonlyMap<string, string> {
  const members = new Map<string, string>()
  const sent = LIMIT_FIELDS.filter((key) => isSent(request, key))
  const [first] = sent
  const isElsewhere = maxTokensField !== null && sent.some((key) => key !== maxTokensField)
  if (request.maxTokens === null && !isElsewhere) return members
  const limit = request.maxTokens ?? (first === undefined ? null : request.body.value[first])
  for (const key of sent) members.set(key, maxTokensField === null ? String(limit) : 'null')
  if (maxTokensField !== null || first === undefined) members.set(maxTokensField ?? 'max_tokens', String(limit))
  return members
}

/** As it came, with what the gateway adds. */
const AS_IT_CAME: WayOfWriting = { left: NOTHING_LEFT_OUT, reasoning: null }

/**
 * Writes the body for the upstream: the client's own bytes with the model's id, a request for usage in streams, and a
 * limit where the gateway imposes one. Nothing of ours is added beside these, and nothing is written otherwise but what
 * this model is known to refuse, or to know elsewhere. Source: decisions 0006 and 0117.
 */
export function buildChatBody(request: UpstreamChatRequest, dialect: Dialect, way = AS_IT_CAME): Buffer {
  const isText = textWayOf(dialect, request) !== null
  const edits = isText ? textMembers(request) : editParts(request.body, way)
  // The older form knows one limit.
  const maxTokensField = isText ? 'max_tokens' : dialect.maxTokensField
  for (const [key, text] of limitMembers(request, maxTokensField)) edits.set(key, text)
  edits.set('model', JSON.stringify(request.upstreamModel))
  if (way.left.has('stream_options')) edits.set('stream_options', null)
  else if (request.stream) {
    const options = request.body.value['stream_options']
    const own = typeof options === 'object' && options !== null ? options : {}
    edits.set('stream_options', JSON.stringify({ ...own, include_usage: true }))
  }
  for (const [key, text] of dialect.extraMembers(request)) edits.set(key, text)
  return spliceMembers(request.body, edits)
}
