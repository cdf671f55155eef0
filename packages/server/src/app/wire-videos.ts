/** What the use cases of videos are given, made from the parts. Part of the composition. */
import type { BillingDeps } from '../money/billing/open-hold.ts'
import type { RoutingDeps } from './routing-deps.ts'
import type { Parts } from './open-parts.ts'
import type { VideoDeps } from '../modalities/videos/video-deps.ts'
import { createVideoJobStore } from '../modalities/videos/video-job-store.ts'

/** Makes them once for a process: callers who ask for the same job share one question to its upstream. */
export function wireVideos(parts: Parts, billing: BillingDeps, routing: RoutingDeps): VideoDeps {
  const { clock, database, media, upstreams, observation } = parts
  return {
    ...billing,
    ...routing,
    ...{ clock, database, files: media.files, jobs: createVideoJobStore(database), polls: new Map() },
    catalog: parts.catalog.catalog,
    holderOf: ({ upstream }) => upstreams.get(upstream)?.videos ?? null,
    onEnded: ({ state, errorCode }) => observation.metrics?.videos.ended(state, errorCode),
  }
}
