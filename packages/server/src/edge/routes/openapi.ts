import { createOpenApiDocument, endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { RouteKit } from '../route-kit.ts'
import { mountPublic } from '../route.ts'

/** GET /openapi. Made on first use: it takes longer than a start should. Source: spec 9. */
export function openapi(app: FastifyInstance, deps: RouteKit): void {
  let document: string | null = null
  mountPublic(app, deps, endpoints.getOpenApi, ({ reply }) => {
    document ??= JSON.stringify(createOpenApiDocument(deps.publicBaseUrl))
    reply.type('application/json; charset=utf-8')
    return document
  })
}
