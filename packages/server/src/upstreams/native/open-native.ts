import { ServiceError } from '../../platform/errors/service-error.ts'
import type { FindProxy } from '../../platform/outbound/open-dispatcher.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { EmbeddingUpstream } from '../embedding-upstream.ts'
import type { ChatWire } from '../openai-compatible/chat-wire.ts'
import { createEmbeddingUpstream, type EmbeddingWire } from '../openai-compatible/embeddings.ts'
import { createOpenAiCompatible } from '../openai-compatible/openai-compatible.ts'
import { NO_PORTS, type Upstream } from '../upstream.ts'
import { createUpstreamClient, type OnAnswer, type UpstreamClient, type UpstreamTimeouts } from '../upstream-client.ts'

/** What an operator says about an upstream with an API of its own. */
export interface NativeOptions {
  readonly name: string
  /** Base URL, including the version part. */
  readonly url: string
  readonly apiKey: string | null
  readonly timeouts: UpstreamTimeouts
  readonly allowH2: boolean
  readonly reportsCost: boolean
  readonly failuresAreFree: boolean
  readonly clock: Clock
  readonly findProxy: FindProxy
  /** Hears the headers of every answer. */
  readonly onAnswer?: OnAnswer | undefined
}

/** In what one such API differs from another. */
export interface NativeApi {
  /** The header that carries the key. */
  readonly keyHeader: string
  readonly headers: Readonly<Record<string, string>>
  readonly wire: ChatWire
  /** Null for an API without embeddings. */
  readonly embeddings: EmbeddingWire | null
  /** The list of its models in OpenAI's form; null when it answers none. */
  listModels(client: UpstreamClient, name: string): Promise<unknown>
}

/** Opens an upstream that chats by an API of its own. It makes no media, and promises no confidential compute. */
export function openNative(options: NativeOptions, api: NativeApi): Upstream {
  const { name, clock, reportsCost, failuresAreFree } = options
  const { keyHeader, headers: extraHeaders, wire } = api
  const client = createUpstreamClient({ ...options, extraHeaders, keyHeader })
  const chat = createOpenAiCompatible({
    ...{ name, client, clock, wire },
    findCost: null,
    dialect: {
      maxTokensField: null,
      reportsCost,
      supportsChoices: false,
      failuresAreFree,
      generationId: null,
      extraMembers: () => new Map(),
    },
  })
  return {
    ...chat,
    listModels: () => api.listModels(client, name),
    completeList: (list) => Promise.resolve(list),
    ...NO_PORTS,
    embeddings: embeddingsOf(options, client, api.embeddings),
  }
}

function embeddingsOf(
  { name, clock, reportsCost, failuresAreFree }: NativeOptions,
  client: UpstreamClient,
  wire: EmbeddingWire | null,
): EmbeddingUpstream | null {
  if (wire === null) return null
  const dialect = { takesAnyModel: false, generationId: null, extraMembers: () => new Map<string, string>() }
  return createEmbeddingUpstream({ name, clock, client, wire, dialect: { ...dialect, reportsCost, failuresAreFree } })
}

/** Refuses what only a provider of confidential compute may see. @throws {ServiceError} `upstream_unavailable`. */
export function refuseConfidential({ confidential }: { readonly confidential: boolean }): void {
  if (!confidential) return
  throw new ServiceError('upstream_unavailable', 'No confidential-compute provider is configured for this model.')
}
