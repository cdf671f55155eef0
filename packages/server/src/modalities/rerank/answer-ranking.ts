import type { Endpoint } from '@svc/contract'
import { rankDocuments } from './rank-documents.ts'
import { parseRerank } from './parse-rerank.ts'
import { beginIdempotent, storeResponse } from '../../edge/idempotent-response.ts'
import type { CountingDeps } from '../../pipeline/paid-work.ts'
import type { RouteKit } from '../../edge/route-kit.ts'
import { readJsonBody } from '../../edge/read-json-body.ts'
import { admitCaller, type RouteCall } from '../../edge/route.ts'
import { JSON_TYPE, sendJsonText } from '../../edge/send-json-text.ts'
import { setChargeHeaders } from '../../edge/set-charge-headers.ts'

export interface RerankRoutesDeps extends RouteKit {
  /** What is charged by its tokens is given what a chat is given. */
  readonly chat: CountingDeps
}

/** Ranks documents, whatever address they came to. The key is checked before the body is read. */
export async function answerRanking(deps: RerankRoutesDeps, call: RouteCall, endpoint: Endpoint): Promise<unknown> {
  const { request } = call
  const admitted = await admitCaller(deps, call, endpoint, 'cached')
  const { caller, body, release } = await readJsonBody(deps, call, {
    ...{ caller: admitted, endpoint },
    type: 'rerank',
    bytesMax: deps.limits.chatBodyBytes,
  })
  try {
    const ranking = parseRerank(body)
    request.facts.model = ranking.request.model
    const once = await beginIdempotent(deps, call, { caller, endpoint, body })
    if (once.kind === 'replay') return once.body
    const json = await storeResponse(deps, once.run, async () => {
      const done = await rankDocuments(deps.chat, { caller, call: ranking, requestId: request.id })
      return { contentType: JSON_TYPE, headers: setChargeHeaders(call, done.charged), body: done.body }
    })
    return sendJsonText(call, json)
  } finally {
    release()
  }
}
