/**
 * What of a Messages request is refused, and why. Every other field that is not read is ignored: it changes neither
 * price nor route nor safety, and clients send new ones all the time. Source: decision 0127.
 */
import type { MessageCountRequest } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { unsupported } from '../../pipeline/refuse-fields.ts'
import { recordOf } from '../translated-chat.ts'

interface Refusal {
  /** Whether a value asks for what cannot be given. */
  readonly asks: (value: unknown) => boolean
  readonly reason: string
}

const hasItems = (value: unknown): boolean => Array.isArray(value) && value.length > 0
const isThere = (value: unknown): boolean => value !== null && value !== undefined

/** Fields at the top, beside those that every chat refuses (`speed`, `inference_geo`, `models` …). */
export const refusedMessageFields: Readonly<Record<string, Refusal>> = {
  mcp_servers: { asks: hasItems, reason: 'tools of other servers are not called here.' },
  container: { asks: (value) => hasItems(recordOf(value)['skills']), reason: 'no skills are run here.' },
  fallbacks: { asks: hasItems, reason: 'it would change the price or the route of the request.' },
  fallback_credit_token: { asks: isThere, reason: 'it would change the price of the request.' },
  billing_policy: {
    asks: (value) => recordOf(value)['bill_to'] === 'user_profile',
    reason: 'the account of the key is charged.',
  },
  compaction: { asks: isThere, reason: 'conversations are not summarized here.' },
}

/** Edits of the conversation would need the provider's counters. Agents send one that asks for none: it keeps all. */
function refuseEdits({ context_management: management }: MessageCountRequest): void {
  for (const [index, { type, keep }] of (management?.edits ?? []).entries()) {
    if (type === 'clear_thinking_20251015' && keep === 'all') continue
    throw unsupported(`context_management.edits.${index}`, 'it would change the conversation.')
  }
}

/**
 * A conversation that the server keeps. Clients that are refused with this `error_code` send all of it instead. Source:
 * @anthropic-ai/sdk 1.14 and anthropic 2.14, message threads.
 */
function refuseThread(thread: unknown): void {
  if (!isThere(thread)) return
  const message = "Unsupported parameter: 'thread': conversations are not kept here: send the whole of it instead."
  throw new ServiceError('unsupported_parameter', message, {
    param: 'thread',
    details: { details: { error_code: 'thread_unsupported_request' } },
  })
}

/** @throws {ServiceError} `unsupported_parameter`. */
export function refuseMessageFields(request: MessageCountRequest): void {
  refuseThread(request['thread'])
  for (const [name, { asks, reason }] of Object.entries(refusedMessageFields)) {
    if (asks(request[name])) throw unsupported(name, reason)
  }
  refuseEdits(request)
}
