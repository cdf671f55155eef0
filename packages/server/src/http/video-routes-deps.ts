import type { VideoDeps } from '../videos/video-deps.ts'
import type { RouteKit } from './route-kit.ts'
import type { EdgeMedia } from './routes-deps.ts'

export interface VideoRoutesDeps extends RouteKit {
  readonly videos: VideoDeps
  readonly media: EdgeMedia
}
