import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { mountTranscription } from '../answer-transcription.ts'
import type { AudioRoutesDeps } from '../edge.ts'

/** POST /v1/audio/transcriptions. Source: spec 2.7, 4. */
export function v1AudioTranscriptions(app: FastifyInstance, deps: AudioRoutesDeps): void {
  mountTranscription(app, deps, endpoints.createTranscription, 'transcribe')
}
