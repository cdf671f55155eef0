/** One request for pictures that is answered as a stream: partial pictures, then each as it is whole. */
import type { Nanocredits } from '@svc/contract'
import type { PartialImage, Render, UpstreamImages } from '../upstream/image-upstream.ts'
import { abandonImages, priceImages, settleImages } from './finish-images.ts'
import type { FrameWriter, StreamReader } from './frame-writer.ts'
import type { ImageCall } from './image-call.ts'
import { makeRenders } from './make-renders.ts'
import { type ImageDeps, type ImageTask, prepareImages, type PreparedImages } from './prepare-images.ts'
import { renderCompleted, renderPartial } from './render-images.ts'
import type { StreamEnd } from './stream-chat.ts'
import { DONE_FRAME, renderErrorFrame } from './stream-frames.ts'

interface Made {
  readonly render: Render
  readonly answer: UpstreamImages
}

/**
 * The caller's side. The 200 waits for the first picture, partial or whole, for as long as the 200 of a chat does. The
 * last whole picture is kept back until it is charged.
 */
class ImageDelivery {
  readonly #call: ImageCall
  readonly #created: number
  readonly #reader: StreamReader
  readonly #timer: NodeJS.Timeout
  #writer: FrameWriter | null = null
  #last: Made | null = null

  constructor(deps: ImageDeps, prepared: PreparedImages, call: ImageCall, reader: StreamReader) {
    this.#call = call
    this.#created = Math.floor(prepared.hold.placedAt / 1_000)
    this.#reader = reader
    this.#timer = setTimeout(() => this.#open(), deps.firstContentMs)
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

  charged(charge: Nanocredits): void {
    this.#reader.charged(charge)
  }

  finish(totals: Parameters<typeof renderCompleted>[3]): void {
    const last = this.#last === null ? '' : renderCompleted(this.#call, this.#created, this.#last, totals)
    this.#open().end(`${last}${DONE_FRAME}`)
  }

  /**
   * Tells the caller that there is no picture.
   * @throws the error itself while nothing was sent: then it can still be an ordinary answer.
   */
  fail(error: unknown): void {
    this.close()
    if (this.#writer === null) throw error
    this.#writer.end(`${renderErrorFrame(error)}${DONE_FRAME}`)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #open(): FrameWriter {
    this.close()
    return (this.#writer ??= this.#reader.open())
  }
}

async function deliver(
  deps: ImageDeps,
  prepared: PreparedImages,
  call: ImageCall,
  delivery: ImageDelivery,
): Promise<void> {
  const made = await makeRenders(deps, prepared, call, {
    onPartial: (partial) => delivery.partial(partial),
    onMade: (answer) => delivery.made(answer),
    mayRepeat: () => delivery.mayBeginAnew,
  })
  const priced = await priceImages(deps, prepared, call, made)
  const charge = await settleImages(deps, prepared, priced)
  delivery.charged(charge)
  delivery.finish({ answers: priced.answers, charge, estimated: priced.decided.estimated })
}

/**
 * Streams the pictures of one request and charges those that came. The charge is durable before the last picture is
 * sent. A caller who leaves is charged: pictures are made for them to the end. Source: decision 0023 (images).
 *
 * @throws {ServiceError} for everything that fails before the first picture; the request is then free.
 */
export async function streamImages(deps: ImageDeps, task: ImageTask, reader: StreamReader): Promise<StreamEnd> {
  const prepared = await prepareImages(deps, task)
  const delivery = new ImageDelivery(deps, prepared, task.call, reader)
  try {
    await deliver(deps, prepared, task.call, delivery)
    return 'whole'
  } catch (error) {
    delivery.fail(await abandonImages(deps, prepared, error))
    return 'failed'
  } finally {
    delivery.close()
  }
}
