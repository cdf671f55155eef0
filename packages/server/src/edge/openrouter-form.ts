/**
 * Errors and streams as OpenRouter's SDKs read them: they refuse a whole answer for one field of another type. Source:
 * @openrouter/sdk 1.3; decision 0129.
 */
import { type ErrorBody, errorCodes, ownMember } from '@svc/contract'
import type { FrameWriter, StreamReader } from '../pipeline/frame-writer.ts'
import { dropNoUsage } from '../pipeline/stream-frames.ts'

type Fields = Readonly<Record<string, unknown>>

/** OpenRouter's own word for a code, where it has one; else by the status. */
const typesOfCodes: Readonly<Record<string, string>> = {
  context_length_exceeded: 'context_length_exceeded',
  content_policy_violation: 'content_policy_violation',
}
const typesOfStatuses: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'authentication',
  402: 'payment_required',
  403: 'permission_denied',
  404: 'not_found',
  408: 'timeout',
  413: 'payload_too_large',
  422: 'unprocessable',
  429: 'rate_limit_exceeded',
  502: 'provider_unavailable',
  503: 'provider_overloaded',
  504: 'timeout',
}

/** An error with its status as its code. Its own code is among the metadata, with the facts beside it. */
export function openRouterError({ error }: ErrorBody): Fields {
  const { message, type, param, code, ...details } = error
  const status = ownMember(errorCodes, code)?.status ?? 500
  const kind = ownMember(typesOfCodes, code) ?? typesOfStatuses[status] ?? 'server'
  return { code: status, message, type, param, metadata: { code, error_type: kind, ...details } }
}

/** What identifies the answer in a chunk that reports an error. */
export interface StreamHead {
  readonly requestId: string
  readonly model: string
  /** Milliseconds since the epoch. */
  readonly now: number
}

const ERROR = 'data: {"error"'
const DATA = 'data: '

/** A chunk says nothing of usage where OpenRouter's do not. */
function translate(event: string, head: StreamHead): string {
  if (!event.startsWith(ERROR)) return dropNoUsage(event)
  const error = openRouterError(JSON.parse(event.slice(DATA.length)) as ErrorBody)
  return `${DATA}${JSON.stringify({
    id: `chatcmpl-${head.requestId}`,
    object: 'chat.completion.chunk',
    created: Math.floor(head.now / 1_000),
    model: head.model,
    choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    error,
  })}`
}

/** A reader of a chat's stream. Whole frames come in, so that none is cut. */
export function openRouterReader(reader: StreamReader, head: StreamHead): StreamReader {
  const rewrite = (text: string): string =>
    text
      .split('\n\n')
      .map((event) => translate(event, head))
      .join('\n\n')
  return {
    gone: reader.gone,
    charged: (charge) => reader.charged(charge),
    open: (): FrameWriter => {
      const writer = reader.open()
      return {
        write: (text) => writer.write(rewrite(text)),
        end: (text) => writer.end(rewrite(text)),
        onDrain: (listener) => writer.onDrain(listener),
      }
    },
  }
}

/** A whole chat with the member that these clients demand. @param json of a chat completion. */
export function openRouterCompletion(json: string): string {
  const parsed = JSON.parse(json) as Fields
  return 'system_fingerprint' in parsed ? json : `{"system_fingerprint":null,${json.slice(json.indexOf('{') + 1)}`
}
