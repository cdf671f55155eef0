import type { Endpoint } from '@svc/contract'
import { beginIdempotent, storeResponse } from '../edge/idempotent-response.ts'
import { JSON_TYPE, sendJsonText } from '../edge/send-json-text.ts'
import type { RouteCall } from '../edge/route.ts'
import type { Caller } from '../access/keys/caller.ts'
import { callerOfBatches } from './batch.ts'
import type { BatchRoutesDeps } from './batch-deps.ts'

/** A batch that is asked for, in either form. */
interface AskedBatch {
  readonly caller: Caller
  readonly endpoint: Endpoint
  /** What was asked, as it came. */
  readonly body: Buffer
  /** Starts it. @returns the batch as its client reads it. */
  readonly start: () => Promise<object>
}

/** Starts a batch and answers with it. With an Idempotency-Key it is started once, however often it is asked for. */
export async function answerNewBatch(
  deps: BatchRoutesDeps,
  call: RouteCall,
  { caller, endpoint, body, start }: AskedBatch,
): Promise<string | Buffer | void> {
  const named = { ...deps, idempotency: deps.batches.names }
  const ofBatches = { ...caller, keyId: callerOfBatches(caller.keyId) }
  const once = await beginIdempotent(named, call, { caller: ofBatches, endpoint, body })
  if (once.kind === 'replay') return once.body
  const json = await storeResponse(deps, once.run, async () => ({
    contentType: JSON_TYPE,
    headers: {},
    body: JSON.stringify(await start()),
  }))
  return sendJsonText(call, json)
}
