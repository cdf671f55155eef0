/** Opens the configured upstreams. Part of the composition: the one place where an adapter is chosen. */
import { speechFormats } from './audio/speech-format.ts'
import type { UpstreamConfig } from './config/config.ts'
import { InvariantError } from './errors/invariant-error.ts'
import type { Clock } from './runtime/clock.ts'
import { openOpenAiCompatible } from './upstream/openai-compatible/open-openai-compatible.ts'
import { openOpenRouter } from './upstream/openrouter/open-openrouter.ts'
import { watchHealth, type WatchedUpstream } from './upstream/watch-health.ts'

/** Where the sandbox listens once it runs, and the key that it wants. */
export interface SandboxAddress {
  readonly url: string
  readonly key: string
}

const OPENROUTER_URL = 'https://openrouter.ai/api/v1'

function openUpstream(config: UpstreamConfig, clock: Clock, sandbox: SandboxAddress | null): WatchedUpstream {
  const { name, timeouts, allowH2, maxTokensField, reportsCost } = config
  const common = { name, timeouts, allowH2, reportsCost, clock }
  switch (config.kind) {
    case 'sandbox': {
      if (sandbox === null) throw new InvariantError('The sandbox does not run')
      const { url, key } = sandbox
      const abilities = { supportsChoices: true, speechFormats, translates: true, cancelsVideos: true }
      return watchHealth(openOpenRouter({ ...common, ...abilities, url, apiKey: key }), clock)
    }
    case 'openrouter': {
      const url = config.url ?? OPENROUTER_URL
      return watchHealth(openOpenRouter({ ...common, url, apiKey: config.apiKey, supportsChoices: false }), clock)
    }
    case 'openai-compatible': {
      if (config.url === null) throw new InvariantError(`The upstream ${name} has no address`)
      return watchHealth(
        openOpenAiCompatible({ ...common, url: config.url, apiKey: config.apiKey, maxTokensField }),
        clock,
      )
    }
  }
}

/** Opens all upstreams, by name. */
export function openUpstreams(
  configs: readonly UpstreamConfig[],
  clock: Clock,
  sandbox: SandboxAddress | null,
): ReadonlyMap<string, WatchedUpstream> {
  return new Map(configs.map((config) => [config.name, openUpstream(config, clock, sandbox)]))
}
