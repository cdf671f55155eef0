/**
 * Room `metrics`: what a gateway counts, in one registry of its own. A room that has something to count gets a small
 * function for it; none reaches for a registry. No label carries a key, an account or anything that a client made up.
 */
import { collectDefaultMetrics, Registry } from 'prom-client'
import { type Backlog, type BacklogMetrics, createBacklogMetrics } from './backlog-metrics.ts'
import { type ChainMetrics, createChainMetrics } from './chain-metrics.ts'
import { type ChatMetrics, createChatMetrics } from './chat-metrics.ts'
import { createHttpMetrics, type HttpMetrics } from './http-metrics.ts'
import { createLimitMetrics, type LimitMetrics } from './limit-metrics.ts'
import { createMediaMetrics, type MediaMetrics } from './media-metrics.ts'
import { createLedgerMetrics, type LedgerMetrics } from './ledger-metrics.ts'
import { createRepeatMetrics, type RepeatMetrics } from './repeat-metrics.ts'
import { registerState, type StateSources } from './state-metrics.ts'
import { createUpstreamMetrics, type UpstreamMetrics } from './upstream-metrics.ts'
import { createVideoMetrics, type OpenVideoJobs, type VideoMetrics } from './video-metrics.ts'

/** Where the state of video jobs comes from. */
export interface VideoSources {
  /** Null when the database does not answer in time. */
  readVideoJobs(): Promise<OpenVideoJobs | null>
}

/** Where what waits in the database comes from. */
export interface BacklogSources {
  /** Null when the database does not answer in time. */
  readBacklog(): Promise<Backlog | null>
}

/** Everything that is counted. */
export interface GatewayMetrics {
  readonly http: HttpMetrics
  readonly chat: ChatMetrics
  readonly media: MediaMetrics
  readonly repeats: RepeatMetrics
  readonly ledger: LedgerMetrics
  readonly limits: LimitMetrics
  readonly chains: ChainMetrics
  readonly videos: VideoMetrics
  readonly backlog: BacklogMetrics
  readonly upstream: (name: string) => UpstreamMetrics
  /** Has the state looked at in every scrape; called once, when the parts are there. */
  watch(sources: StateSources & VideoSources & BacklogSources): void
  /** The text of a scrape. */
  text(): Promise<string>
  readonly contentType: string
}

/**
 * Makes the metrics of one gateway. They live as long as the process: the library watches the event loop and the heap
 * for good.
 */
export function createGatewayMetrics(): GatewayMetrics {
  const registry = new Registry()
  let look = (): Promise<void> => Promise.resolve()
  const videos = createVideoMetrics(registry)
  const backlog = createBacklogMetrics(registry)
  collectDefaultMetrics({ register: registry })
  return {
    http: createHttpMetrics(registry),
    chat: createChatMetrics(registry),
    media: createMediaMetrics(registry),
    repeats: createRepeatMetrics(registry),
    ledger: createLedgerMetrics(registry),
    limits: createLimitMetrics(registry),
    chains: createChainMetrics(registry),
    videos,
    backlog,
    upstream: createUpstreamMetrics(registry),
    watch: (sources) => {
      const lookAtState = registerState(registry, sources)
      look = async () => {
        const [jobs, waiting] = await Promise.all([sources.readVideoJobs(), sources.readBacklog(), lookAtState()])
        videos.setOpen(jobs)
        backlog.setOpen(waiting)
      }
    },
    text: async () => {
      await look()
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}
