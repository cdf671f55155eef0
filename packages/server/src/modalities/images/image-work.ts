/** What every request for images is to the pipeline, whole or streamed: its model, its price and its attempts. */
import { ServiceError } from '../../platform/errors/service-error.ts'
import { findMediaModel } from '../../pipeline/find-model.ts'
import type { Bound, FoundModel, Paid, PaidDeps, PaidRun, PaidTask, PaidWork, Sink } from '../../pipeline/paid-work.ts'
import { boundImages, type ImageSize } from './image-bound.ts'
import type { ImageCall } from './image-call.ts'
import { type ImageTarget, imageTarget } from './image-target.ts'
import { type MadeRenders, makeAt, type RenderWatcher, whyNone } from './make-renders.ts'

export interface ImageDeps extends PaidDeps {
  /** Keeps an image for an hour. @returns its address, which needs no key. */
  readonly keepImage: (image: { readonly bytes: Buffer; readonly mediaType: string }) => Promise<string>
  /** As for chat: the longest that the 200 of a stream waits, in milliseconds. */
  readonly firstContentMs: number
}

/** One request of one caller. */
export type ImageTask = PaidTask<ImageCall>

/** What decides the price of a request for images. */
export function imageSize({ count, settings, inputs, prompt }: ImageCall): ImageSize {
  return { count, settings, inputs: inputs.length, promptBytes: Buffer.byteLength(prompt) }
}

function boundOf({ targets }: FoundModel<ImageTarget>, call: ImageCall): Bound {
  const lists = targets.map(({ offer }) => offer.prices)
  return boundImages(lists, imageSize(call))
}

/**
 * Another word for the caller: a time-out is not to be tried again by itself, since the upstream may have made the
 * images, and would make them twice.
 */
function explain(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'upstream_timeout') return error
  return new ServiceError(error.code, error.message, { internal: error.internal, cause: error, shouldRetry: false })
}

/** What differs between an answer that is whole and a stream. */
export interface ImageRun<Reply, End> extends Pick<PaidRun<ImageTarget, MadeRenders, Reply, End>, 'price'> {
  readonly sink: Sink<Reply, End>
  readonly watcher: RenderWatcher
}

/** Makes the pipeline's work of a request for images. */
export function imageWork<Reply, End>(
  deps: ImageDeps,
  { call, caller }: ImageTask,
  begin: (paid: Paid<ImageTarget>) => ImageRun<Reply, End>,
): PaidWork<ImageTarget, MadeRenders, Reply, End> {
  return {
    type: 'image',
    model: call.model,
    stream: call.stream,
    sendsBeforeSettlement: call.stream,
    findModel: () => findMediaModel(deps, caller, { id: call.model, type: 'image' }),
    selectTarget: (model) => imageTarget(model, call),
    bound: (found) => boundOf(found, call),
    begin: (paid) => {
      const { sink, watcher, price } = begin(paid)
      return {
        sink,
        price,
        ask: (target) => makeAt(paid, target, call, watcher),
        reportsOf: ({ reports }) => reports,
        failureOf: whyNone,
        callsOf: ({ answers, failures }) => [...answers.map(() => null), ...failures],
        explain,
      }
    },
  }
}
