/** One request for images that is answered as a stream: partial images, then each as it is whole. */
import type { Charged } from '../../money/billing/settlement.ts'
import { EventSink } from '../../pipeline/event-sink.ts'
import type { StreamEnd, StreamReader } from '../../pipeline/frame-writer.ts'
import type { Sink } from '../../pipeline/paid-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import type { PartialImage, Render, UpstreamImages } from '../../upstreams/image-upstream.ts'
import type { ImageCall } from './image-call.ts'
import { type ImageDeps, type ImageTask, imageWork } from './image-work.ts'
import { priceImages } from './price-images.ts'
import { type ImageTotals, renderCompleted, renderPartial } from './render-images.ts'
import { DONE_FRAME } from '../../pipeline/stream-frames.ts'

interface Made {
  readonly render: Render
  readonly answer: UpstreamImages
}

/**
 * The caller's side. The 200 waits for the first image, partial or whole, for as long as the 200 of a chat does. The
 * last whole image is kept back until it is charged.
 */
class ImageDelivery extends EventSink implements Sink<ImageTotals, StreamEnd> {
  readonly #call: ImageCall
  readonly #created: number
  readonly #timer: NodeJS.Timeout
  #last: Made | null = null

  constructor(deps: ImageDeps, placedAt: number, call: ImageCall, reader: StreamReader) {
    super(reader)
    this.#call = call
    this.#created = Math.floor(placedAt / 1_000)
    this.#timer = setTimeout(() => this.open(), deps.firstContentMs)
  }

  partial(partial: PartialImage): void {
    this.open().write(renderPartial(this.#call, this.#created, partial))
  }

  made(answer: UpstreamImages): void {
    for (const render of answer.renders) {
      if (this.#last !== null) this.open().write(renderCompleted(this.#call, this.#created, this.#last, null))
      this.#last = { render, answer }
    }
  }

  finish(totals: ImageTotals): StreamEnd {
    const last = this.#last === null ? '' : renderCompleted(this.#call, this.#created, this.#last, totals)
    this.open().end(`${last}${DONE_FRAME}`)
    return 'whole'
  }

  override fail(error: unknown): StreamEnd {
    clearTimeout(this.#timer)
    return super.fail(error)
  }

  protected override opened(): void {
    clearTimeout(this.#timer)
  }
}

/**
 * Streams the images of one request and charges those that came. The charge is durable before the last image is
 * sent. A caller who leaves is charged: images are made for them to the end. Source: decision 0023 (images).
 *
 * @throws {ServiceError} for everything that fails before the first image; the request is then free.
 */
export function streamImages(deps: ImageDeps, task: ImageTask, reader: StreamReader): Promise<StreamEnd> {
  const { call } = task
  const work = imageWork(deps, task, (paid) => {
    const delivery = new ImageDelivery(deps, paid.hold.placedAt, call, reader)
    return {
      sink: delivery,
      watcher: {
        onPartial: (partial) => delivery.partial(partial),
        onMade: (answer) => delivery.made(answer),
      },
      price: async (made, askCost) => {
        const { answers, ...priced } = await priceImages(askCost, paid, call, made)
        const { estimated } = priced
        return { ...priced, render: (charged: Charged) => ({ answers, charged, estimated }) }
      },
    }
  })
  return runPaid(deps, task, work)
}
