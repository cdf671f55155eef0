/** How the routes of images answer: whole or as a stream. */
import type { Endpoint } from '@svc/contract'
import type { IdempotentRun } from '../../admission/idempotency/idempotency.ts'
import type { ImageCall } from './image-call.ts'
import { createImages } from './create-images.ts'
import { streamImages } from './stream-images.ts'
import type { Caller } from '../../access/keys/caller.ts'
import { beginIdempotent, storeStream, storeResponse } from '../../edge/idempotent-response.ts'
import { paidTask } from '../../edge/paid-task.ts'
import type { ImageRoutesDeps } from './image-routes-deps.ts'
import type { RouteCall } from '../../edge/route.ts'
import { READER_STALL_MS } from '../../edge/sse-writer.ts'
import { streamReader } from '../../edge/stream-reader.ts'
import { asStream } from '../../edge/stream-slot.ts'
import { setChargeHeaders } from '../../edge/set-charge-headers.ts'

/** Images that are about to be made. */
export interface AdmittedImages {
  readonly caller: Caller
  readonly endpoint: Endpoint
  readonly images: ImageCall
  /** What was asked, in bytes that are the same when the same is asked again. */
  readonly body: Buffer | (() => Promise<Buffer>)
}

type Task = Pick<AdmittedImages, 'caller' | 'images'> & { readonly run: IdempotentRun | null }

const JSON_TYPE = 'application/json; charset=utf-8'

async function answerWhole(deps: ImageRoutesDeps, call: RouteCall, { caller, images, run }: Task) {
  const { reply } = call
  const json = await storeResponse(deps, run, async () => {
    const made = await createImages(deps.images, paidTask(deps, call, caller, images))
    return { contentType: JSON_TYPE, headers: setChargeHeaders(call, made.charged), body: made.body }
  })
  // The answer is kept until it is taken. The time begins anew whenever the reader takes some of it.
  reply.raw.setTimeout(READER_STALL_MS, () => reply.raw.destroy())
  reply.header('content-type', JSON_TYPE)
  return json
}

async function answerStream(deps: ImageRoutesDeps, call: RouteCall, { caller, images, run }: Task): Promise<void> {
  try {
    await storeStream(deps, streamReader(deps, call), run, (reader) =>
      asStream(deps, caller, () => streamImages(deps.images, paidTask(deps, call, caller, images), reader)),
    )
  } catch (error) {
    // A stream that is open already cannot become another answer; only a broken connection can show the failure.
    if (call.reply.raw.headersSent) call.reply.raw.destroy()
    throw error
  }
}

/** Makes the images that a caller asks for, and answers. */
export async function answerImages(deps: ImageRoutesDeps, call: RouteCall, admitted: AdmittedImages): Promise<unknown> {
  const { caller, images } = admitted
  call.request.facts.model = images.model
  const once = await beginIdempotent(deps, call, admitted)
  if (once.kind === 'replay') return once.body
  return (images.stream ? answerStream : answerWhole)(deps, call, { caller, images, run: once.run })
}
