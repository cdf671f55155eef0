/** One request for pictures that is answered whole. */
import type { Nanocredits } from '@svc/contract'
import type { Render } from '../upstream/image-upstream.ts'
import { abandonImages, priceImages, settleImages } from './finish-images.ts'
import type { ImageCall } from './image-call.ts'
import { makeRenders, type RenderWatcher } from './make-renders.ts'
import { type ImageDeps, type ImageTask, prepareImages, type PreparedImages } from './prepare-images.ts'
import { renderImages, renderItem } from './render-images.ts'

export interface CreatedImages {
  /** The body, as JSON text. */
  readonly json: string
  readonly charge: Nanocredits
}

/** A whole answer: nothing leaves before its end, and it is made to the end. */
const WATCHED_BY_NOBODY: RenderWatcher = { onPartial: null, onMade: () => undefined, mayRepeat: () => true }

/** The pictures as the caller asked for them. Files are kept before the charge, so that none is charged and lost. */
async function renderItems(deps: ImageDeps, call: ImageCall, renders: readonly Render[]): Promise<readonly string[]> {
  if (call.settings.responseFormat !== 'url') return renders.map((render) => renderItem(render, null, call.form))
  return Promise.all(
    renders.map(async (render) => {
      const bytes = Buffer.from(render.base64, 'base64')
      return renderItem(render, await deps.keepImage({ bytes, mediaType: render.mediaType }), call.form)
    }),
  )
}

async function createAndSettle(deps: ImageDeps, prepared: PreparedImages, call: ImageCall): Promise<CreatedImages> {
  const made = await makeRenders(deps, prepared, call, WATCHED_BY_NOBODY)
  const priced = await priceImages(deps, prepared, call, made)
  const { answers, decided } = priced
  const items = await renderItems(
    deps,
    call,
    answers.flatMap(({ renders }) => renders),
  )
  const charge = await settleImages(deps, prepared, priced)
  const created = Math.floor(prepared.hold.placedAt / 1_000)
  const { estimated } = decided
  return { json: renderImages(call, created, items, { answers, charge, estimated }), charge }
}

/**
 * Makes the pictures of one request and charges those that came. The charge is durable before the answer is returned.
 *
 * The work runs to its end even when the caller has gone: it was made for them, and is charged. Source: spec 2.3, 2.8
 * and billing rule 1; decision 0023 (images).
 *
 * @throws {ServiceError} when no picture came; the request is then free.
 */
export async function createImages(deps: ImageDeps, task: ImageTask): Promise<CreatedImages> {
  const prepared = await prepareImages(deps, task)
  try {
    return await createAndSettle(deps, prepared, task.call)
  } catch (error) {
    throw await abandonImages(deps, prepared, error)
  }
}
