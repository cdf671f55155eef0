import type { Endpoint, UsageType } from '@svc/contract'
import type { CountedJson } from '../pipeline/json-call.ts'
import type { PaidTask, WholeAnswer } from '../pipeline/paid-work.ts'
import { beginIdempotent, storeResponse } from './idempotent-response.ts'
import { readJsonBody } from './read-json-body.ts'
import { paidTask } from './paid-task.ts'
import type { RouteKit } from './route-kit.ts'
import { admitCaller, type RouteCall } from './route.ts'
import { JSON_TYPE, sendJsonText } from './send-json-text.ts'
import { setChargeHeaders } from './set-charge-headers.ts'

/** A paid request whose body and whose whole answer are JSON. */
export interface PaidJson<Call> {
  readonly endpoint: Endpoint
  readonly type: UsageType
  /** @throws {ServiceError} 400. */
  readonly parse: (body: CountedJson) => Call
  /** The model that a request names, for the log. */
  readonly modelOf: (call: Call) => string
  /** @throws {ServiceError} for everything that fails; the request is then free. */
  readonly answer: (task: PaidTask<Call>) => Promise<WholeAnswer>
}

/** Answers it: the key, which is checked before the body is read, the body, the name of the request, the work. */
export async function answerPaidJson<Call>(
  deps: RouteKit,
  call: RouteCall,
  { endpoint, type, parse, modelOf, answer }: PaidJson<Call>,
): Promise<unknown> {
  const { request } = call
  const admitted = await admitCaller(deps, call, endpoint, 'cached')
  const paid = { caller: admitted, endpoint, type, bytesMax: deps.limits.configured.chatBodyBytes }
  const { caller, body, release } = await readJsonBody(deps, call, paid)
  try {
    const parsed = parse(body)
    request.facts.model = modelOf(parsed)
    const once = await beginIdempotent(deps, call, { caller, endpoint, body })
    if (once.kind === 'replay') return once.body
    const json = await storeResponse(deps, once.run, async () => {
      const done = await answer(paidTask(deps, call, caller, parsed))
      return { contentType: JSON_TYPE, headers: setChargeHeaders(call, done.charged), body: done.body }
    })
    return sendJsonText(call, json)
  } finally {
    release()
  }
}
