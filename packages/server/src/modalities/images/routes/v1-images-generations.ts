import { type Endpoint, endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { ImageCall } from '../image-call.ts'
import { parseImageRequest } from '../parse-images.ts'
import { answerImages } from '../answer-images.ts'
import type { ImageRoutesDeps } from '../image-routes-deps.ts'
import { readJsonBody } from '../../../edge/read-json-body.ts'
import { admitCaller } from '../../../edge/route.ts'

/** Mounts a request for new images at an address whose answers have a form. */
export function mountImageRequest(
  app: FastifyInstance,
  deps: ImageRoutesDeps,
  endpoint: Endpoint,
  form: ImageCall['form'],
): void {
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    const admitted = await admitCaller(deps, call, endpoint, 'cached')
    await deps.limits.images.take(admitted.keyId)
    const paid = { caller: admitted, endpoint, type: 'image', bytesMax: deps.limits.configured.chatBodyBytes } as const
    const { caller, body, release } = await readJsonBody(deps, call, paid)
    try {
      return await answerImages(deps, call, { caller, endpoint, images: parseImageRequest(body, form), body })
    } finally {
      release()
    }
  })
}

/** POST /v1/images/generations. The key is checked before the body is read. Source: spec 2.3, 2.8, 4. */
export function v1ImagesGenerations(app: FastifyInstance, deps: ImageRoutesDeps): void {
  mountImageRequest(app, deps, endpoints.createImage, 'openai')
}
