import type { ImageDeps } from './image-work.ts'
import type { RouteKit } from '../../edge/route-kit.ts'

export interface ImageRoutesDeps extends RouteKit {
  readonly images: ImageDeps
}
