/**
 * The edge's part of an Idempotency-Key: takes the name before the work, keeps the answer once it is settled and before
 * its last byte leaves, and gives it again.
 */
import type { Endpoint, Nanocredits } from '@svc/contract'
import { type IdempotentRun, KEPT_LENGTH_MAX, parseIdempotencyKey } from '../admission/idempotency/idempotency.ts'
import type { KeptAnswer } from '../admission/idempotency/sealed-answer.ts'
import type { FrameWriter, StreamEnd, StreamReader } from '../pipeline/frame-writer.ts'
import type { Caller } from '../access/keys/caller.ts'
import type { RouteKit } from './route-kit.ts'
import type { RouteCall } from './route.ts'
import { waitAMoment } from './wait-a-moment.ts'

const EVENT_STREAM = 'text/event-stream; charset=utf-8'
const STREAM_HEADERS = { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' } as const

export type IdempotentBegun =
  /** The answer was given before and is given again. */
  | { readonly kind: 'replay'; readonly body: string | Buffer }
  /** `run` is null for a request without the header. */
  | { readonly kind: 'work'; readonly run: IdempotentRun | null }

/**
 * Takes the name of a request, where it has one.
 *
 * @param from.body what was asked, in bytes that are the same when the same is asked again; a function makes them where
 *   that is work, which is done for a request with a name alone.
 * @throws {ServiceError} 400 for a name that is none, 409, 422; 401 for a key that has just ended, whatever was kept.
 */
export async function beginIdempotent(
  deps: RouteKit,
  { request, reply }: RouteCall,
  from: { readonly caller: Caller; readonly endpoint: Endpoint; readonly body: Buffer | (() => Promise<Buffer>) },
): Promise<IdempotentBegun> {
  const name = parseIdempotencyKey(request.headers['idempotency-key'])
  if (name === null) return { kind: 'work', run: null }
  const { keyId, accountId } = from.caller
  const { id: endpoint } = from.endpoint
  const body = typeof from.body === 'function' ? await from.body() : from.body
  const call = { accountId, callerId: keyId, requestId: request.id, endpoint, name, body }
  // No hold asks whether the key still works where nothing is worked on: it is asked here.
  const stillWorks = () => deps.authenticator.authenticate(request.headers.authorization, 'fresh')
  const begun = await deps.idempotency.begin(call).catch(async (error: unknown) => {
    await stillWorks()
    throw error
  })
  if (begun.kind === 'run') return { kind: 'work', run: begun.run }
  await stillWorks()
  const { contentType, headers, body: kept, isBinary = false } = begun.answer
  reply.headers({
    ...headers,
    'content-type': contentType,
    'x-request-id': begun.requestId,
    ...(reply.hasHeader('request-id') ? { 'request-id': begun.requestId } : {}),
    'idempotent-replayed': 'true',
  })
  return { kind: 'replay', body: isBinary ? Buffer.from(kept, 'base64') : kept }
}

/** Does the work under its name: an answer is kept, a failure gives the name back. */
export async function storeResponse(
  deps: RouteKit,
  run: IdempotentRun | null,
  work: () => Promise<KeptAnswer>,
): Promise<string> {
  if (run === null) return (await work()).body
  const answer = await runIdempotent(deps, run, () => work())
  await written(deps, run.finish(answer))
  return answer.body
}

/**
 * Streams under a name. The frames are kept as they go out, and the last are sent once they are kept.
 *
 * @param work streams to the reader that it is given, and says how that ended.
 */
export async function storeStream(
  deps: RouteKit,
  reader: StreamReader,
  run: IdempotentRun | null,
  work: (reader: StreamReader) => Promise<StreamEnd>,
): Promise<void> {
  if (run === null) return void (await work(reader))
  const kept = new StoredFrames(reader)
  const end = await runIdempotent(deps, run, () => work(kept))
  const { text } = kept
  const answer = text === null ? null : { contentType: EVENT_STREAM, headers: STREAM_HEADERS, body: text }
  if (end === 'failed') await written(deps, run.finishFailed(answer))
  else await written(deps, run.finish(end === 'whole' ? answer : null))
  kept.sendLast()
}

/** Does the work of a run. Where it throws, the name is given back, so that it may be used again. */
export async function runIdempotent<Result>(
  deps: RouteKit,
  run: IdempotentRun,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await written(deps, run.release())
    throw error
  }
}

/**
 * Waits a moment until the end of a run is noted. The answer goes out all the same: without its row its name stays
 * taken, or it is reported as gone, and it is never worked on again.
 */
export function written(deps: RouteKit, work: Promise<void>): Promise<void> {
  return waitAMoment(
    work.catch((error: unknown) => deps.log.error({ err: error }, 'an Idempotency-Key could not be noted')),
  )
}

/** A reader whose frames are kept, and whose last text waits. */
class StoredFrames implements StreamReader {
  readonly #reader: StreamReader
  #writer: FrameWriter | null = null
  #last = ''
  /** What went out so far; null when it is longer than what is kept. */
  text: string | null = ''

  constructor(reader: StreamReader) {
    this.#reader = reader
  }

  get gone(): AbortSignal {
    return this.#reader.gone
  }

  open(): FrameWriter {
    const writer = this.#reader.open()
    this.#writer = writer
    return {
      write: (text) => {
        this.#keep(text)
        return writer.write(text)
      },
      end: (text) => {
        this.#keep(text)
        this.#last = text
      },
      onDrain: (listener) => writer.onDrain(listener),
    }
  }

  charged(charge: Nanocredits): void {
    this.#reader.charged(charge)
  }

  sendLast(): void {
    this.#writer?.end(this.#last)
  }

  #keep(text: string): void {
    if (this.text === null) return
    this.text = this.text.length + text.length > KEPT_LENGTH_MAX ? null : this.text + text
  }
}
