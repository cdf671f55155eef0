/** What the adapters of speech and transcription share: whom they call, and what a failure of theirs means. */
import type { IncomingHttpHeaders } from 'node:http'
import { isUtf8 } from 'node:buffer'
import type { SpeechFormat } from '../../platform/audio/speech-format.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { JsonBody } from '../../platform/json/json-body.ts'
import { parseJsonText } from '../../platform/json/parse-json.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import type { UpstreamTranscriptFormat } from '../transcription-upstream.ts'
import { chatFailure, retryAfterSeconds } from './errors.ts'
import { idInHeaders, costOfFailure } from './usage.ts'

/** In what upstreams of audio differ. */
export interface AudioDialect {
  /** Formats that the upstream itself can be asked for. */
  readonly speechFormats: readonly SpeechFormat[]
  /** Members to send beside the client's own, key → JSON text; null takes one out. */
  readonly speechMembers: (body: JsonBody) => ReadonlyMap<string, string>
  readonly transcriptFormats: readonly UpstreamTranscriptFormat[]
  readonly translates: boolean
  /** Whether it can send a transcript piece by piece. */
  readonly streamsTranscripts: boolean
  /** Whether it is known to report what each answer costs, so that a cost of zero means free. */
  readonly reportsCost: boolean
  /** As in the dialect of chats. */
  readonly failuresAreFree: boolean
  /** Header that carries the id to look a cost up by; null where costs cannot be looked up. */
  readonly generationIdHeader: string | null
}

export interface AudioDeps {
  readonly name: string
  readonly client: UpstreamClient
  readonly clock: Clock
  readonly dialect: AudioDialect
}

/** Confidential compute is promised for chat alone. @throws {ServiceError} for a request that demands it. */
export function refuseConfidential(request: { readonly confidential: boolean }): void {
  if (!request.confidential) return
  throw new ServiceError('upstream_unavailable', 'No confidential-compute provider is configured for this model.')
}

/** Reads JSON; undefined for what is none. */
export function readUtf8Json(text: Buffer): unknown {
  return isUtf8(text) ? parseJsonText(text) : undefined
}

/** The upstream's own id of what it made; null where it gives none. */
export function generationIdFrom({ dialect }: AudioDeps, headers: IncomingHttpHeaders): string | null {
  return idInHeaders(dialect.generationIdHeader, headers)
}

/** The error for an answer that is no audio and no transcript. */
export function audioFailure(
  deps: AudioDeps,
  answer: {
    /** Null inside a stream. */
    readonly status: number | null
    readonly headers: IncomingHttpHeaders
    readonly value: unknown
    /** The text that `value` was parsed from. */
    readonly source: Buffer
  },
): ServiceError {
  const { name, client, clock, dialect } = deps
  return chatFailure({
    upstream: name,
    value: answer.value,
    status: answer.status,
    retryAfterSeconds: retryAfterSeconds(answer.headers, clock.now()),
    apiKey: client.apiKey,
    failuresAreFree: dialect.failuresAreFree,
    cost: costOfFailure(answer.value, () => answer.source, dialect),
    generationId: generationIdFrom(deps, answer.headers),
  })
}
