import { creditsJson, endpoints, MARGIN_BPS, type QuoteReply, quoteRequest, type Printed } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../access/keys/caller.ts'
import { readAsCaller } from '../../edge/read-as-caller.ts'
import { readBody } from '../../edge/read-body.ts'
import { checkContentType } from '../../edge/read-json-body.ts'
import { admitCaller, type RouteCall } from '../../edge/route.ts'
import { requireActive } from '../../money/billing/require-active.ts'
import { countInTurns, parseAhead, parseJsonObject, scanBody } from '../../pipeline/json-call.ts'
import { amountOf } from '../../pricing/bound-line.ts'
import { parseBySchema } from '../../platform/errors/parse-by-schema.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { quoteBody } from '../quote-body.ts'
import type { QuoteRoutesDeps } from '../quotes-deps.ts'

/** How long a quote holds, in milliseconds. Source: decision 0150. */
const QUOTE_MS = 600_000

const endpoint = endpoints.createQuote

/** POST /v1/quotes. Free. Source: decision 0150 (quotes). */
export function v1Quotes(app: FastifyInstance, deps: QuoteRoutesDeps): void {
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    await admitCaller(deps, call, endpoint, 'cached')
    checkContentType(call)
    const limits = { bytesMax: deps.limits.configured.chatBodyBytes, budget: deps.limits.bodies }
    const { caller, body } = await readAsCaller(
      deps,
      call,
      { endpoint, known: null },
      { read: () => readBody(request.raw, limits), drop: (dropped) => dropped.release() },
    )
    try {
      await requireActive(deps.balance.store, caller)
      return await takeQuote(deps, call, caller, body.body)
    } finally {
      body.release()
    }
  })
}

async function takeQuote(
  deps: QuoteRoutesDeps,
  { request }: RouteCall,
  caller: Caller,
  bytes: Buffer,
): Promise<Printed<QuoteReply>> {
  const { text } = await countInTurns(bytes)
  await parseAhead(text)
  const asked = parseBySchema(quoteRequest, parseJsonObject(text))
  const { valueStart, valueEnd } = scanBody(text).get('body') ?? { valueStart: 0, valueEnd: 0 }
  try {
    // The very bytes that would be sent: they decide how long the input is.
    const { text: body } = await countInTurns(text.subarray(valueStart, valueEnd))
    await parseAhead(body)
    const take = await quoteBody(deps, asked.endpoint, { caller, requestId: request.id, body })
    const { quote, model, likely, lines } = await take(deps.chat)
    request.facts.model = model
    const now = deps.clock.now()
    const expiresAt = now + QUOTE_MS
    return {
      object: 'quote',
      quote_id: deps.quotes.seal(caller.keyId, { ...quote, expiresAt }),
      created: Math.floor(now / 1_000),
      expires_at: Math.floor(expiresAt / 1_000),
      endpoint: asked.endpoint,
      model,
      credits_at_most: creditsJson(quote.most),
      credits_likely: creditsJson(likely),
      margin_bps: MARGIN_BPS,
      lines: lines.map(({ perUnit, ...line }) => ({
        ...line,
        credits_per_unit: creditsJson(perUnit),
        credits: creditsJson(amountOf({ perUnit, ...line })),
      })),
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.param === null) throw error
    throw error.renamed({ param: `body.${error.param}` })
  }
}
