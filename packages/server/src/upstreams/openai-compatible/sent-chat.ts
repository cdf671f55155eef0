/** One attempt at a chat as it is sent: by the API that it goes to, and without what its model refuses. */
import type { UpstreamChatRequest } from '../chat-upstream.ts'
import type { ExchangeRequest } from '../http-exchange.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { buildChatBody } from './chat-body.ts'
import type { ChatWire } from './chat-wire.ts'
import type { Dialect } from './dialect.ts'
import type { LeftOut } from './learned-refusals.ts'
import type { ChatPart, ReasoningName } from './optional-parts.ts'
import { textWayOf } from './text-completions.ts'

/** A request of which some parts are left out. */
export interface Attempt {
  readonly request: UpstreamChatRequest
  readonly left: LeftOut<ChatPart>
}

interface SendingDeps {
  readonly client: UpstreamClient
  readonly dialect: Dialect
  readonly wire?: ChatWire
  /** By model: under which name it writes its reasoning. */
  readonly reasoningNames: ReadonlyMap<string, ReasoningName>
}

/** Where a body goes, below the base URL. */
interface Written {
  readonly path: string
  readonly body: Buffer
}

function writeAttempt({ wire, dialect, reasoningNames }: SendingDeps, { request, left }: Attempt): Written {
  if (wire !== undefined) return wire.write(request)
  const way = { left, reasoning: reasoningNames.get(request.upstreamModel) ?? null }
  const path = textWayOf(dialect, request)?.path ?? '/chat/completions'
  return { path, body: buildChatBody(request, dialect, way) }
}

/** The exchange of a body that was written. */
export function sentBody(
  { client }: Pick<SendingDeps, 'client'>,
  request: UpstreamChatRequest,
  { path, body }: Written,
): ExchangeRequest {
  return {
    patience: client.patience,
    origin: client.origin,
    path: `${client.basePath}${path}`,
    method: 'POST',
    headers: {
      ...client.headers,
      accept: request.stream ? 'text/event-stream' : 'application/json',
      'content-type': 'application/json',
      ...(request.traceparent === undefined ? {} : { traceparent: request.traceparent }),
    },
    body,
  }
}

/** The exchange of an attempt. @throws {ServiceError} 400 for what the API cannot do. */
export function sentChat(deps: SendingDeps, attempt: Attempt): ExchangeRequest {
  return sentBody(deps, attempt.request, writeAttempt(deps, attempt))
}
