import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { answerRanking, type RerankRoutesDeps } from '../answer-ranking.ts'

/** POST /v1/rerank. Source: decision 0125 (rankings). */
export function v1Rerank(app: FastifyInstance, deps: RerankRoutesDeps): void {
  const endpoint = endpoints.createRerank
  app.post(endpoint.path, (request, reply) => answerRanking(deps, { request, reply }, endpoint))
}
