import type { TranscribeDeps } from './transcription-work.ts'
import type { RouteKit } from '../../edge/route-kit.ts'

export interface TranscriptionRoutesDeps extends RouteKit {
  readonly audio: TranscribeDeps
}
