import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { ImageRoutesDeps } from '../image-routes-deps.ts'
import { mountImageRequest } from './v1-images-generations.ts'

/** POST /v1/images: the same request, where clients made for OpenRouter send it. */
export function v1Images(app: FastifyInstance, deps: ImageRoutesDeps): void {
  mountImageRequest(app, deps, endpoints.createImageByReference, 'openrouter')
}
