import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { mountTranscription } from '../answer-transcription.ts'
import type { TranscriptionRoutesDeps } from '../transcription-routes-deps.ts'

/** POST /v1/audio/transcriptions. Source: spec 2.7, 4. */
export function v1AudioTranscriptions(app: FastifyInstance, deps: TranscriptionRoutesDeps): void {
  mountTranscription(app, deps, endpoints.createTranscription, 'transcribe')
}
