/** How the routes of pictures answer: whole or as a stream. */
import type { ImageCall } from '../inference/image-call.ts'
import { createImages } from '../inference/create-images.ts'
import { streamImages } from '../inference/stream-images.ts'
import type { Caller } from '../keys/caller.ts'
import type { EdgeDeps } from './edge.ts'
import type { RouteCall } from './route.ts'
import { READER_STALL_MS } from './sse-writer.ts'
import { streamReader } from './stream-reader.ts'
import { tellCharge } from './tell-charge.ts'

async function answerWhole(deps: EdgeDeps, { request, reply }: RouteCall, caller: Caller, images: ImageCall) {
  const { json, charge } = await createImages(deps.images, { caller, call: images, requestId: request.id })
  // The answer is kept until it is taken. The time begins anew whenever the reader takes some of it.
  reply.raw.setTimeout(READER_STALL_MS, () => reply.raw.destroy())
  tellCharge({ request, reply }, charge)
  reply.header('content-type', 'application/json; charset=utf-8')
  return json
}

async function answerStream(deps: EdgeDeps, call: RouteCall, caller: Caller, images: ImageCall): Promise<void> {
  const giveBack = deps.limits.streams.take(caller.keyId)
  try {
    await streamImages(deps.images, { caller, call: images, requestId: call.request.id }, streamReader(deps, call))
  } catch (error) {
    // A stream that is open already cannot become another answer; a broken connection is what is left to tell.
    if (call.reply.raw.headersSent) call.reply.raw.destroy()
    throw error
  } finally {
    giveBack()
  }
}

/** Makes the pictures that a caller asks for, and answers. */
export function answerImages(deps: EdgeDeps, call: RouteCall, caller: Caller, images: ImageCall): Promise<unknown> {
  call.request.facts.model = images.model
  return (images.stream ? answerStream : answerWhole)(deps, call, caller, images)
}
