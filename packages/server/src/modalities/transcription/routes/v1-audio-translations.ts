import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { mountTranscription } from '../answer-transcription.ts'
import type { TranscriptionRoutesDeps } from '../transcription-routes-deps.ts'

/** POST /v1/audio/translations: a transcription into English, as OpenAI has it. */
export function v1AudioTranslations(app: FastifyInstance, deps: TranscriptionRoutesDeps): void {
  mountTranscription(app, deps, endpoints.createTranslation, 'translate')
}
