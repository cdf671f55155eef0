/** One request for images that is answered whole. */
import { type Paid, type Priced, wholeAnswer, type WholeAnswer } from '../../pipeline/paid-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import type { Render } from '../../upstreams/image-upstream.ts'
import type { ImageCall } from './image-call.ts'
import type { ImageTarget } from './image-target.ts'
import { type ImageDeps, type ImageTask, imageWork } from './image-work.ts'
import type { RenderWatcher } from './make-renders.ts'
import { type PricedImages, priceImages } from './price-images.ts'
import { renderImages, renderItem } from './render-images.ts'

/** A whole answer: nothing leaves before its end, and it is made to the end. */
const NO_WATCHER: RenderWatcher = { onPartial: null, onMade: () => undefined }

/** The images as the caller asked for them. Files are kept before the charge, so that none is charged and lost. */
async function renderItems(deps: ImageDeps, call: ImageCall, renders: readonly Render[]): Promise<readonly string[]> {
  if (call.settings.responseFormat !== 'url') return renders.map((render) => renderItem(render, null, call.form))
  return Promise.all(
    renders.map(async (render) => {
      const bytes = Buffer.from(render.base64, 'base64')
      return renderItem(render, await deps.keepImage({ bytes, mediaType: render.mediaType }), call.form)
    }),
  )
}

async function price(
  deps: ImageDeps,
  paid: Paid<ImageTarget>,
  call: ImageCall,
  priced: PricedImages,
): Promise<Priced<WholeAnswer>> {
  const { answers, ...rest } = priced
  const items = await renderItems(
    deps,
    call,
    answers.flatMap(({ renders }) => renders),
  )
  const created = Math.floor(paid.hold.placedAt / 1_000)
  const { estimated } = rest
  return {
    ...rest,
    render: (charged) => ({ body: renderImages(call, created, items, { answers, charged, estimated }), charged }),
  }
}

/**
 * Makes the images of one request and charges those that came. The charge is durable before the answer is returned.
 *
 * The work runs to its end even when the caller has gone: it was made for them, and is charged. Source: spec 2.3, 2.8
 * and billing rule 1; decision 0023 (images).
 *
 * @throws {ServiceError} when no image came; the request is then free.
 */
export function createImages(deps: ImageDeps, task: ImageTask): Promise<WholeAnswer> {
  const work = imageWork(deps, task, (paid) => ({
    sink: wholeAnswer<WholeAnswer>(),
    watcher: NO_WATCHER,
    price: async (made, askCost) => price(deps, paid, task.call, await priceImages(askCost, paid, task.call, made)),
  }))
  return runPaid(deps, task, work)
}
