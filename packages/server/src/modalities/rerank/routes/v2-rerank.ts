import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { answerRanking, type RerankRoutesDeps } from '../answer-ranking.ts'

/** POST /v2/rerank. Cohere's newer clients know no other address. Source: decision 0125 (rankings). */
export function v2Rerank(app: FastifyInstance, deps: RerankRoutesDeps): void {
  const endpoint = endpoints.createRerankV2
  app.post(endpoint.path, (request, reply) => answerRanking(deps, { request, reply }, endpoint))
}
