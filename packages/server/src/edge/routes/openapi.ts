import { setImmediate as letOthersRun } from 'node:timers/promises'
import { endpoints, openApiSteps } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { RouteKit } from '../route-kit.ts'
import { mountPublic } from '../route.ts'

/**
 * GET /openapi. Made on first use: it takes longer than a start should, and others run between its parts. Source: spec
 * 9.
 */
export function openapi(app: FastifyInstance, deps: RouteKit): void {
  let document: Promise<string> | null = null
  mountPublic(app, deps, endpoints.getOpenApi, async ({ reply }) => {
    document ??= makeDocument(deps.publicBaseUrl())
    const text = await document
    reply.type('application/json; charset=utf-8')
    return text
  })
}

async function makeDocument(publicBaseUrl: string): Promise<string> {
  const steps = openApiSteps(publicBaseUrl)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return JSON.stringify(step.value)
    await letOthersRun()
  }
}
