import type { FindProxy } from '../../platform/outbound/open-dispatcher.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createEgress } from '../egress-guard.ts'
import { openExternalVideo } from '../open-external-video.ts'
import type { UpstreamClient, UpstreamTimeouts } from '../upstream-client.ts'
import type { VideoUpstream } from '../video-upstream.ts'
import { createVideos, type VideoDialect } from './openai-videos.ts'

/** What the port for videos shares with the upstream that it is a part of. */
export interface VideosOf {
  readonly name: string
  readonly timeouts: UpstreamTimeouts
  readonly clock: Clock
  readonly findProxy: FindProxy
}

/** The port for videos of an upstream, with its own guarded way to files that lie elsewhere. */
export interface OpenVideos {
  readonly port: VideoUpstream
  /** Closes that way, and what it is given. */
  closeWith(rest: { close(): Promise<void> }): Promise<void>
}

/** Opens the port. It uses the upstream's own connections for all that is the upstream's. */
export function openVideos(
  { name, timeouts, clock, findProxy }: VideosOf,
  client: UpstreamClient,
  dialect: VideoDialect,
): OpenVideos {
  const egress = createEgress({ timeouts, findProxy })
  return {
    port: createVideos({
      ...{ name, client, clock, dialect },
      openElsewhere: (url, wanted) => openExternalVideo({ egress, upstream: name }, url, wanted),
    }),
    async closeWith(rest) {
      await Promise.all([egress.close(), rest.close()])
    },
  }
}
