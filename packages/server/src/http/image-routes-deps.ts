import type { ImageDeps } from '../inference/image-work.ts'
import type { RouteKit } from './route-kit.ts'

export interface ImageRoutesDeps extends RouteKit {
  readonly images: ImageDeps
}
