import type { TranscribeDeps } from '../inference/transcription-work.ts'
import type { RouteKit } from './route-kit.ts'

export interface TranscriptionRoutesDeps extends RouteKit {
  readonly audio: TranscribeDeps
}
