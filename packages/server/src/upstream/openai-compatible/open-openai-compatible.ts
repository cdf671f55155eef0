import type { Clock } from '../../runtime/clock.ts'
import { ServiceError } from '../../errors/service-error.ts'
import type { Upstream } from '../upstream.ts'
import { createUpstreamClient, type UpstreamTimeouts } from '../upstream-client.ts'
import { createOpenAiCompatible } from './openai-compatible.ts'

const NO_MEMBERS: ReadonlyMap<string, string> = new Map()

/** What an operator says about a server that speaks OpenAI's chat completions. */
export interface ServerOptions {
  readonly name: string
  /** Base URL, such as `http://localhost:11434/v1`. */
  readonly url: string
  readonly apiKey: string | null
  readonly timeouts: UpstreamTimeouts
  readonly allowH2: boolean
  /** As in the dialect. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens' | null
  /** Whether it is known to report what each answer costs. */
  readonly reportsCost: boolean
  readonly clock: Clock
}

/**
 * Opens an upstream that is any OpenAI-compatible server. It cannot promise confidential compute, so it refuses such
 * requests.
 */
export function openOpenAiCompatible(options: ServerOptions): Upstream {
  const chat = createOpenAiCompatible({
    name: options.name,
    client: createUpstreamClient({ ...options, extraHeaders: {} }),
    clock: options.clock,
    findCost: null,
    dialect: {
      maxTokensField: options.maxTokensField,
      reportsCost: options.reportsCost,
      supportsChoices: true,
      generationIdHeader: null,
      extraMembers: (request) => {
        if (!request.confidential) return NO_MEMBERS
        throw new ServiceError('upstream_unavailable', 'No confidential-compute provider is configured for this model.')
      },
    },
  })
  return { ...chat, images: null }
}
