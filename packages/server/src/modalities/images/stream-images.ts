/** One request for images that is answered as a stream: partial images, then each as it is whole. */
import type { Charged } from '../../money/billing/settlement.ts'
import type { FrameWriter, StreamEnd, StreamReader } from '../../pipeline/frame-writer.ts'
import type { Sink } from '../../pipeline/paid-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import type { PartialImage, Render, UpstreamImages } from '../../upstreams/image-upstream.ts'
import type { ImageCall } from './image-call.ts'
import { type ImageDeps, type ImageTask, imageWork } from './image-work.ts'
import { priceImages } from './price-images.ts'
import { type ImageTotals, renderCompleted, renderPartial } from './render-images.ts'
import { DONE_FRAME, renderErrorFrame } from '../../pipeline/stream-frames.ts'

interface Made {
  readonly render: Render
  readonly answer: UpstreamImages
}

/**
 * The caller's side. The 200 waits for the first picture, partial or whole, for as long as the 200 of a chat does. The
 * last whole picture is kept back until it is charged.
 */
class ImageDelivery implements Sink<ImageTotals, StreamEnd> {
  /** Images are made to the end for a caller who leaves. */
  readonly isForsaken = false
  readonly #call: ImageCall
  readonly #created: number
  readonly #reader: StreamReader
  readonly #timer: NodeJS.Timeout
  #writer: FrameWriter | null = null
  #last: Made | null = null

  constructor(deps: ImageDeps, placedAt: number, call: ImageCall, reader: StreamReader) {
    this.#call = call
    this.#created = Math.floor(placedAt / 1_000)
    this.#reader = reader
    this.#timer = setTimeout(() => this.#open(), deps.firstContentMs)
  }

  get isOpen(): boolean {
    return this.#writer !== null
  }

  /** Whether nothing was delivered and somebody still waits, so that another upstream may make the pictures. */
  get mayBeginAnew(): boolean {
    return this.#writer === null && !this.#reader.gone.aborted
  }

  partial(partial: PartialImage): void {
    this.#open().write(renderPartial(this.#call, this.#created, partial))
  }

  made(answer: UpstreamImages): void {
    for (const render of answer.renders) {
      if (this.#last !== null) this.#open().write(renderCompleted(this.#call, this.#created, this.#last, null))
      this.#last = { render, answer }
    }
  }

  charged({ charge }: Charged): void {
    this.#reader.charged(charge)
  }

  finish(totals: ImageTotals): StreamEnd {
    const last = this.#last === null ? '' : renderCompleted(this.#call, this.#created, this.#last, totals)
    this.#open().end(`${last}${DONE_FRAME}`)
    return 'whole'
  }

  /**
   * Tells the caller that there is no picture.
   * @throws the error itself while nothing was sent: then it can still be an ordinary answer.
   */
  fail(error: unknown): StreamEnd {
    clearTimeout(this.#timer)
    if (this.#writer === null) throw error
    this.#writer.end(`${renderErrorFrame(error)}${DONE_FRAME}`)
    return 'failed'
  }

  #open(): FrameWriter {
    clearTimeout(this.#timer)
    return (this.#writer ??= this.#reader.open())
  }
}

/**
 * Streams the pictures of one request and charges those that came. The charge is durable before the last picture is
 * sent. A caller who leaves is charged: pictures are made for them to the end. Source: decision 0023 (images).
 *
 * @throws {ServiceError} for everything that fails before the first picture; the request is then free.
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
      price: async (made) => {
        const { answers, ...priced } = await priceImages(deps, paid, call, made)
        const { estimated } = priced
        return { ...priced, render: (charged: Charged) => ({ answers, charged, estimated }) }
      },
    }
  })
  return runPaid(deps, task, work)
}
