/** Opens the configured upstreams. Part of the composition: the one place where an adapter is chosen. */
import { speechFormats } from '../platform/audio/speech-format.ts'
import type { Config, UpstreamConfig } from '../config/config.ts'
import { OPENROUTER_URL } from '../config/resolve-upstreams.ts'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import type { TracedUpstream } from './observe/trace-calls.ts'
import type { MediaPrices } from '../pricing/media-price.ts'
import type { FindProxy } from '../platform/outbound/open-dispatcher.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import { openAnthropic } from '../upstreams/anthropic/open-anthropic.ts'
import { openGemini } from '../upstreams/gemini/open-gemini.ts'
import { createLearnedParts, type LearnedParts } from '../upstreams/openai-compatible/learned-parts.ts'
import { openOpenAiCompatible } from '../upstreams/openai-compatible/open-openai-compatible.ts'
import { openOpenRouter } from '../upstreams/openrouter/open-openrouter.ts'
import type { UpstreamObserver } from '../upstreams/call-observer.ts'
import type { KeyedUpstream } from '../upstreams/keyed-calls.ts'
import { KeyRing, type KeyRest } from '../upstreams/key-ring.ts'
import type { OnAnswer } from '../upstreams/upstream-client.ts'
import type { Upstream } from '../upstreams/upstream.ts'
import { watchHealth, type WatchedUpstream } from '../upstreams/watch-health.ts'

/** Where the sandbox listens once it runs, and the key that it wants. */
export interface SandboxAddress {
  readonly url: string
  readonly key: string
  /** Kinds of media that it can make or read. */
  readonly abilities: ReadonlySet<MediaPrices['type']>
  /** Tells the models, and the jobs of models, that play what a developer asks them to. */
  readonly isScripted: (name: string) => boolean
}

interface OpenDeps {
  readonly clock: SystemClock
  readonly sandbox: SandboxAddress | null
  readonly findProxy: FindProxy
  /** Who else watches the calls to an upstream. */
  readonly observersOf: (upstream: TracedUpstream) => readonly UpstreamObserver[]
  /** Called when one of several keys of an upstream begins to rest. */
  readonly onKeyRest?: (upstream: string, rest: KeyRest) => void
}

/** With which key an upstream is opened, and who hears its answers. */
interface Opening {
  /** Null for a server that wants none. */
  readonly apiKey: string | null
  readonly onAnswer?: OnAnswer
  /** What all openings of one upstream learn of it. */
  readonly learned: LearnedParts
}

function addressOf({ name, url }: UpstreamConfig): string {
  if (url === null) throw new InvariantError(`The upstream ${name} has no address`)
  return url
}

function openUpstream(
  config: UpstreamConfig,
  { clock, sandbox, findProxy }: OpenDeps,
  { apiKey, onAnswer, learned }: Opening,
): Upstream {
  const { name, connectMs, firstByteMs, idleMs, contentMs, allowH2, maxTokensField, reportsCost, failuresAreFree } =
    config
  const timeouts = { connectMs, firstByteMs, idleMs, contentMs }
  const common = { name, timeouts, allowH2, reportsCost, failuresAreFree, clock, findProxy, onAnswer, learned }
  switch (config.kind) {
    case 'sandbox': {
      if (sandbox === null) throw new InvariantError('The sandbox does not run')
      const { url, key } = sandbox
      const abilities = { supportsChoices: true, speechFormats, translates: true, cancelsVideos: true, moderates: true }
      const upstream = openOpenRouter({ ...common, ...abilities, url, apiKey: key })
      return withAbilities(upstream, sandbox.abilities)
    }
    case 'openrouter': {
      const url = config.url ?? OPENROUTER_URL
      const { deniesDataCollection } = config
      return openOpenRouter({ ...common, url, apiKey, deniesDataCollection, supportsChoices: false })
    }
    case 'anthropic':
      return openAnthropic({ ...common, url: addressOf(config), apiKey })
    case 'gemini':
      return openGemini({ ...common, url: addressOf(config), apiKey })
    case 'openai-compatible': {
      const { textCompletions } = config
      return openOpenAiCompatible({ ...common, url: addressOf(config), apiKey, maxTokensField, textCompletions })
    }
  }
}

/** Leaves out what the sandbox has no packages for. */
function withAbilities(upstream: Upstream, abilities: SandboxAddress['abilities']): Upstream {
  return {
    ...upstream,
    images: abilities.has('image') ? upstream.images : null,
    videos: abilities.has('video') ? upstream.videos : null,
    speech: abilities.has('speech') ? upstream.speech : null,
    transcription: abilities.has('transcription') ? upstream.transcription : null,
  }
}

/** Opens an upstream once for each of its keys, and a ring that chooses among several. */
function openKeyed(config: UpstreamConfig, deps: OpenDeps): KeyedUpstream {
  const { name, apiKeys } = config
  const [first, ...others] = apiKeys
  const learned = createLearnedParts()
  if (first === undefined || others.length === 0) {
    return { opened: [openUpstream(config, deps, { apiKey: first?.secret ?? null, learned })], ring: null }
  }
  const ring = new KeyRing({
    names: apiKeys.map((key) => key.name),
    clock: deps.clock,
    onRest: (rest) => deps.onKeyRest?.(name, rest),
  })
  const openWith = (apiKey: string, index: number): Upstream =>
    openUpstream(config, deps, { apiKey, learned, onAnswer: (headers) => ring.told(index, headers) })
  const opened = others.map(({ secret }, index) => openWith(secret, index + 1))
  return { opened: [openWith(first.secret, 0), ...opened], ring }
}

/** Opens all upstreams, by name. */
export function openUpstreams(
  { upstreams, limits }: Pick<Config, 'upstreams' | 'limits'>,
  deps: OpenDeps,
): ReadonlyMap<string, WatchedUpstream> {
  const { clock, sandbox, observersOf } = deps
  return new Map(
    upstreams.map((config) => {
      const { name, kind, forwardTrace: forwardsTrace, requestsAtOnce } = config
      const isSandbox = kind === 'sandbox'
      const observers = observersOf({ name, url: isSandbox ? (sandbox?.url ?? null) : config.url, forwardsTrace })
      const breakers = { configured: limits, isScripted: isSandbox ? sandbox?.isScripted : undefined }
      const turns = requestsAtOnce === null ? null : { most: requestsAtOnce, limits }
      return [name, watchHealth(openKeyed(config, deps), { clock, limits: breakers, turns, observers })]
    }),
  )
}
