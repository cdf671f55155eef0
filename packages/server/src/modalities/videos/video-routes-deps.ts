import type { VideoDeps } from './video-deps.ts'
import type { RouteKit } from '../../edge/route-kit.ts'
import type { EdgeMedia } from '../../edge/routes-deps.ts'

export interface VideoRoutesDeps extends RouteKit {
  readonly videos: VideoDeps
  readonly media: EdgeMedia
}
