/** The frames of a chat stream as text. Pure. */
import { errorCodes } from '@svc/contract'
import { ServiceError } from '../platform/errors/service-error.ts'

export interface FrameHead {
  readonly id: string
  readonly created: number
  /** As the client asked for it. */
  readonly model: string
  /** Whether each chunk says `usage: null`, as clients that asked for usage expect. */
  readonly withUsage: boolean
}

/** Writes the start that every chunk of one stream shares, up to where its own members follow. */
export function renderHead(head: FrameHead): string {
  const usage = head.withUsage ? ',"usage":null' : ''
  const id = JSON.stringify(head.id)
  const model = JSON.stringify(head.model)
  return `"id":${id},"object":"chat.completion.chunk","created":${head.created},"model":${model}${usage}`
}

/** A chunk up to the end of a head that says that there is no usage. */
const HEAD_WITHOUT_USAGE =
  /^(data: \{"id":"(?:[^"\\]|\\.)*","object":"[a-z.]*","created":\d+,"model":"(?:[^"\\]|\\.)*"),"usage":null,/

/** A chunk without the `usage: null` of its head. What its own members say stays, whatever they are called. */
export function dropNoUsage(event: string): string {
  return event.replace(HEAD_WITHOUT_USAGE, '$1,')
}

/**
 * A chunk as an event.
 *
 * @param members as JSON text, without braces.
 * @param svc JSON text, given for the last chunk of a stream that shows no usage.
 */
export function renderChunk(head: string, members: string, svc: string | null): string {
  return svc === null ? `data: {${head},${members}}\n\n` : `data: {${head},${members},"svc":${svc}}\n\n`
}

/** The last chunk of a stream whose client asked for usage. Source: OpenAI, `stream_options.include_usage`. */
export function renderUsageChunk(head: string, usage: Readonly<Record<string, unknown>>, svc: string): string {
  const start = head.replace(/,"usage":null$/, '')
  return `data: {${start},"choices":[],"usage":${JSON.stringify(usage)},"svc":${svc}}\n\n`
}

export const DONE_FRAME = 'data: [DONE]\n\n'

/**
 * An error inside a stream: a bare error object, since an error beside choices is swallowed by some clients.
 * Source: decision 0013 (frames of a stream).
 */
export function renderErrorFrame(error: unknown): string {
  const known =
    error instanceof ServiceError ? error : new ServiceError('internal_error', 'The gateway failed to answer.')
  const body = {
    message: known.message,
    type: errorCodes[known.code].type,
    param: known.param,
    code: known.code,
    ...known.details,
  }
  return `data: ${JSON.stringify({ error: body })}\n\n`
}
