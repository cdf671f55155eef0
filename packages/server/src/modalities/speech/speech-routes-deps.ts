import type { PaidDeps } from '../../pipeline/paid-work.ts'
import type { RouteKit } from '../../edge/route-kit.ts'

export interface SpeechRoutesDeps extends RouteKit {
  readonly audio: PaidDeps
}
