/** A ranking as its clients read it: those of Cohere, of Jina and of OpenRouter. Pure. */
import { usdJson } from '@svc/contract'
import type { Charged } from '../../money/billing/settlement.ts'
import { renderSvc } from '../../pipeline/render-charge.ts'
import type { DecidedCharge } from '../../pipeline/token-charge.ts'
import type { UpstreamRanking } from '../../upstreams/rerank-upstream.ts'
import type { RerankCall } from './parse-rerank.ts'

/** The document of a result, from the request itself. */
function documentOf({ request }: RerankCall, index: number): object {
  const document = request.documents[index]
  return typeof document === 'string' ? { text: document } : (document ?? {})
}

/** @returns JSON text with the charge in `svc`. */
export function renderRanking(
  call: RerankCall,
  { ranked }: UpstreamRanking,
  paid: { readonly id: string; readonly decided: DecidedCharge; readonly charged: Charged },
): string {
  const { request } = call
  const { decided, charged } = paid
  const results = ranked.slice(0, request.top_n ?? undefined).map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(request.return_documents === false ? {} : { document: documentOf(call, index) }),
  }))
  const { promptTokens, requests = 1 } = decided.usage
  const body = JSON.stringify({
    ...{ id: `rerank-${paid.id}`, object: 'list', model: request.model, results },
    usage: {
      ...{ prompt_tokens: promptTokens, total_tokens: promptTokens, search_units: requests },
      cost: usdJson(charged.charge),
    },
    meta: { billed_units: { search_units: requests, input_tokens: promptTokens } },
  })
  return `${body.slice(0, -1)},"svc":${renderSvc(charged, decided.estimated, null)}}`
}
