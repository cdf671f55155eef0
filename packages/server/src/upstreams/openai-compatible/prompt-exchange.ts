/** What calls share that are answered whole and without text of a model: how they are sent, counted, and fail. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { ReportedUsage } from '../chat-upstream.ts'
import { collectResponse, type CollectedResponse } from '../http-exchange.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { transportFailure, type UpstreamFailure } from '../upstream-failure.ts'
import type { Dialect } from './dialect.ts'
import { chatFailure, retryAfterSeconds } from './errors.ts'
import { idInHeaders, isObject, NO_USAGE, readGenerationId, readUsage } from './usage.ts'

/** In what upstreams differ. */
export interface PromptDialect extends Pick<Dialect, 'reportsCost' | 'failuresAreFree' | 'generationId'> {
  readonly takesAnyModel: boolean
  /** As in the dialect of chats. */
  extraMembers(request: { readonly confidential: boolean }): ReadonlyMap<string, string>
}

export interface PromptDeps {
  readonly name: string
  readonly client: UpstreamClient
  readonly clock: Clock
  readonly dialect: PromptDialect
}

/** As much of a request as says how it is sent. */
interface SentRequest {
  readonly signal: AbortSignal
  readonly traceparent?: string
}

/** Sends a call and waits for its whole answer. @throws {UpstreamFailure} where none comes. */
export function sendPrompt(
  deps: PromptDeps,
  { signal, traceparent }: SentRequest,
  { path, body }: { readonly path: string; readonly body: Buffer },
  bytesMax: number,
): Promise<CollectedResponse> {
  const { client, name, dialect } = deps
  const headers = {
    ...client.headers,
    accept: 'application/json',
    'content-type': 'application/json',
    ...(traceparent === undefined ? {} : { traceparent }),
  }
  const { patience, origin, basePath } = client
  const request = { patience, origin, path: `${basePath}${path}`, method: 'POST', headers, body } as const
  let generationId: string | null = null
  const onStart = (started: IncomingHttpHeaders): void => {
    generationId = idOf(dialect, started)
  }
  return collectResponse(client.dispatcher, request, { signal, bytesMax, onStart }).catch((error: unknown) => {
    throw transportFailure(name, error, generationId)
  })
}

function idOf({ generationId }: PromptDialect, headers: IncomingHttpHeaders): string | null {
  return idInHeaders(generationId?.header ?? null, headers)
}

/** The upstream's own id of an answer; null where it gives none. */
export function generationIdOf(
  { dialect }: PromptDeps,
  { headers }: CollectedResponse,
  value: Readonly<Record<string, unknown>>,
): string | null {
  return idOf(dialect, headers) ?? readGenerationId(value, dialect.generationId)
}

/** Usage of an answer that has no output: the total replaces a missing count of the prompt. */
export function readPromptUsage(value: Record<string, unknown>, text: Buffer, dialect: PromptDialect): ReportedUsage {
  const { usage } = value
  if (!isObject(usage)) return NO_USAGE
  // A zero was not counted: no text has no tokens.
  const prompt_tokens = usage['prompt_tokens'] || usage['total_tokens']
  const whole = { ...value, usage: { ...usage, prompt_tokens, completion_tokens: 0 } }
  const reported = readUsage(whole, () => text, dialect)
  return reported === null ? NO_USAGE : { ...reported, wire: null }
}

/** What an answer that is none says. @param names of fields of the request that a refusal may be about. */
export function promptFailure(
  deps: PromptDeps,
  response: CollectedResponse,
  value: unknown,
  names: readonly string[],
): UpstreamFailure {
  return chatFailure({
    upstream: deps.name,
    value,
    status: response.status,
    retryAfterSeconds: retryAfterSeconds(response.headers, deps.clock.now()),
    apiKey: deps.client.apiKey,
    failuresAreFree: deps.dialect.failuresAreFree,
    cost: isObject(value) ? readPromptUsage(value, response.body, deps.dialect).cost : null,
    generationId: idOf(deps.dialect, response.headers),
    names: names.filter((name) => response.body.includes(name)),
  })
}
