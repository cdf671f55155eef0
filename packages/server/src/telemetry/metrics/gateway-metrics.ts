/**
 * Room `metrics`: what a gateway counts, in one registry of its own. A room that has something to count gets a small
 * function for it; none reaches for a registry. No label carries a key, an account or anything that a client made up.
 */
import { collectDefaultMetrics, Registry } from 'prom-client'
import { type ArchiveMetrics, createArchiveMetrics } from './archive-metrics.ts'
import { type AuditFigures, createAuditMetrics } from './audit-metrics.ts'
import { type BatchMetrics, createBatchMetrics, type FileFigure } from './batch-metrics.ts'
import { type Backlog, type BacklogMetrics, createBacklogMetrics } from './backlog-metrics.ts'
import { type ChainMetrics, createChainMetrics } from './chain-metrics.ts'
import { type ChatMetrics, createChatMetrics } from './chat-metrics.ts'
import { createHttpMetrics, type HttpMetrics } from './http-metrics.ts'
import { createLimitMetrics, type LimitMetrics } from './limit-metrics.ts'
import { createMediaMetrics, type MediaMetrics } from './media-metrics.ts'
import { createLedgerMetrics, type LedgerMetrics } from './ledger-metrics.ts'
import { createOverloadMetrics, type OverloadMetrics, type WaitingFigures } from './overload-metrics.ts'
import { createReconciliationMetrics, type ReconciliationFigures } from './reconciliation-metrics.ts'
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

/** Where the state of files comes from. */
export interface FileSources {
  /** Null when the database does not answer in time. */
  readFiles(): Promise<readonly FileFigure[] | null>
}

/** Where the state of the audits comes from. */
export interface AuditSources {
  /** Null when the database does not answer in time. */
  readAudits(): Promise<AuditFigures | null>
}

/** Where what paid requests would wait comes from. */
export interface OverloadSources {
  readWaiting(): WaitingFigures
}

/** Where the state of the reconciliations with upstreams comes from. */
export interface ReconciliationSources {
  /** Null when the database does not answer in time. */
  readReconciliations(): Promise<readonly ReconciliationFigures[] | null>
}

/** Where the state of the archive comes from. */
export interface ArchiveSources {
  /** Null where nothing is archived by itself, and when the database does not answer in time. */
  readArchiveOverdue(): Promise<number | null>
}

type Sources = OverloadSources &
  ArchiveSources &
  ReconciliationSources &
  StateSources &
  VideoSources &
  BacklogSources &
  AuditSources &
  FileSources

/** What a metric is: what dashboards and rules are made from. */
export interface MetricDefinition {
  /** It ends in its unit, where it has one: `seconds`, `bytes`, `credits`, `ratio`. */
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram' | 'summary'
  readonly help: string
  readonly labels: readonly string[]
}

/** Everything that is counted. */
export interface GatewayMetrics {
  readonly http: HttpMetrics
  readonly chat: ChatMetrics
  readonly media: MediaMetrics
  readonly repeats: RepeatMetrics
  readonly ledger: LedgerMetrics
  readonly limits: LimitMetrics
  readonly overload: OverloadMetrics
  readonly chains: ChainMetrics
  readonly videos: VideoMetrics
  readonly backlog: BacklogMetrics
  readonly batches: BatchMetrics
  readonly archive: ArchiveMetrics
  readonly upstream: (name: string) => UpstreamMetrics
  /** Has the state looked at in every scrape; called once, when the parts are there. */
  watch(sources: Sources): void
  /** Every metric that a scrape may show, those of the runtime included. */
  readonly definitions: readonly MetricDefinition[]
  /** The text of a scrape. */
  text(): Promise<string>
  readonly contentType: string
}

/** Gauges of the library that are called as counters are: those by type, beside them, say the same. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total']

/**
 * Makes the metrics of one gateway. They live as long as the process: the library watches the event loop and the heap
 * for good.
 */
export function createGatewayMetrics(): GatewayMetrics {
  const registry = new Registry()
  let look = (): Promise<void> => Promise.resolve()
  const videos = createVideoMetrics(registry)
  const backlog = createBacklogMetrics(registry)
  const setAudits = createAuditMetrics(registry)
  const setReconciliations = createReconciliationMetrics(registry)
  const watchState = registerState(registry)
  const batches = createBatchMetrics(registry)
  const archive = createArchiveMetrics(registry)
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
  const metrics = {
    http: createHttpMetrics(registry),
    chat: createChatMetrics(registry),
    media: createMediaMetrics(registry),
    repeats: createRepeatMetrics(registry),
    ledger: createLedgerMetrics(registry),
    limits: createLimitMetrics(registry),
    overload: createOverloadMetrics(registry),
    chains: createChainMetrics(registry),
    videos,
    backlog,
    batches,
    archive,
    upstream: createUpstreamMetrics(registry),
  }
  return {
    ...metrics,
    definitions: definitionsOf(registry),
    watch: (sources) => {
      const lookAtState = watchState(sources)
      look = async () => {
        metrics.overload.setWaiting(sources.readWaiting())
        const [jobs, waiting, audits, reconciliations, files, overdue] = await Promise.all([
          sources.readVideoJobs(),
          sources.readBacklog(),
          sources.readAudits(),
          sources.readReconciliations(),
          sources.readFiles(),
          sources.readArchiveOverdue(),
          lookAtState(),
        ])
        videos.setOpen(jobs)
        backlog.setOpen(waiting)
        setAudits(audits)
        setReconciliations(reconciliations)
        batches.setFiles(files)
        archive.setOverdue(overdue)
      }
    },
    text: async () => {
      await look()
      return registry.metrics()
    },
    contentType: registry.contentType,
  }
}

/** What the library keeps of a metric and its types leave out. */
interface RegisteredMetric extends Pick<MetricDefinition, 'name' | 'help'> {
  readonly type: MetricDefinition['kind']
  readonly labelNames: readonly string[]
}

function definitionsOf(registry: Registry): readonly MetricDefinition[] {
  const registered = registry.getMetricsAsArray() as unknown as readonly RegisteredMetric[]
  return registered
    .map(({ name, type, help, labelNames }) => ({ name, kind: type, help, labels: labelNames }))
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
}
