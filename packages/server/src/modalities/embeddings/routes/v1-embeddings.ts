import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { parseEmbeddings } from '../parse-embeddings.ts'
import { embedTexts } from '../embed-texts.ts'
import { answerPaidJson } from '../../../edge/answer-paid-json.ts'
import type { RouteKit } from '../../../edge/route-kit.ts'
import type { CountingDeps } from '../../../pipeline/paid-work.ts'

interface EmbeddingRoutesDeps extends RouteKit {
  /** What is charged by its tokens is given what a chat is given. */
  readonly chat: CountingDeps
}

/** POST /v1/embeddings. Source: decision 0048 (embeddings). */
export function v1Embeddings(app: FastifyInstance, deps: EmbeddingRoutesDeps): void {
  const endpoint = endpoints.createEmbedding
  app.post(endpoint.path, (request, reply) =>
    answerPaidJson(
      deps,
      { request, reply },
      {
        ...{ endpoint, type: 'embedding', parse: parseEmbeddings },
        modelOf: (call) => call.request.model,
        answer: (task) => embedTexts(deps.chat, task),
      },
    ),
  )
}
