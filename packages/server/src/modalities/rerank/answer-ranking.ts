import type { Endpoint } from '@svc/contract'
import { rankDocuments } from './rank-documents.ts'
import { parseRerank } from './parse-rerank.ts'
import { answerPaidJson } from '../../edge/answer-paid-json.ts'
import type { RouteKit } from '../../edge/route-kit.ts'
import type { RouteCall } from '../../edge/route.ts'
import type { CountingDeps } from '../../pipeline/paid-work.ts'

export interface RerankRoutesDeps extends RouteKit {
  /** What is charged by its tokens is given what a chat is given. */
  readonly chat: CountingDeps
}

/** Ranks documents, whatever address they came to. */
export function answerRanking(deps: RerankRoutesDeps, call: RouteCall, endpoint: Endpoint): Promise<unknown> {
  return answerPaidJson(deps, call, {
    ...{ endpoint, type: 'rerank', parse: parseRerank },
    modelOf: ({ request }) => request.model,
    answer: (task) => rankDocuments(deps.chat, task),
  })
}
