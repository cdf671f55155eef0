/** The work of a request at the prices of its quote. */
import { creditsJson, formatCredits, type UsageType } from '@svc/contract'
import type { Model } from '../catalog/model.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { Bound, PaidWork } from './paid-work.ts'
import { type Quote, QUOTE_HEADER, type QuotedTarget, wholeBound } from './quote.ts'
import type { Offering, SelectTarget } from './routing/list-targets.ts'
import type { Target } from './routing/target.ts'

/**
 * The same work at the prices of its quote.
 *
 * @throws {ServiceError} `quote_mismatch`, from its functions, for a request that the quote is not for.
 */
export function underQuote<To extends Target, Answer, Reply, End>(
  work: PaidWork<To, Answer, Reply, End>,
  quote: Quote,
): PaidWork<To, Answer, Reply, End> {
  return {
    ...work,
    findModel: () => lockModel(work.findModel(), work.type, quote),
    selectTarget: (model) => lockPrices(work.selectTarget(model), quote),
    bound: async (found) => checkFits(await work.bound(found), quote),
  }
}

function lockModel(model: Model, type: UsageType, quote: Quote): Model {
  if (model.id !== quote.model) {
    throw mismatch(`The quote is for the model '${quote.model}', and the request for '${model.id}'.`, 'model')
  }
  if (type !== quote.type) throw mismatch(`The quote is for ${quote.type}, and the request for ${type}.`)
  const { contextLength, maxOutputTokens } = quote
  return { ...model, contextLength, maxOutputTokens }
}

/** @throws {ServiceError} where the place was not quoted: it serves no request with this quote. */
function lockPrices<To extends Target>(select: SelectTarget<To>, { targets }: Quote): SelectTarget<To> {
  return (offering) => {
    const quoted = targets.find(
      ({ upstream, upstreamModel }) => upstream === offering.upstream.name && upstreamModel === offering.upstreamModel,
    )
    if (quoted === undefined) throw mismatch('The upstreams of this model are not those of the quote any more.')
    return select({ ...offering, price: quoted.price, media: lockedMedia(offering, quoted) })
  }
}

function lockedMedia({ media }: Offering, { media: prices }: QuotedTarget): Offering['media'] {
  if (media === null || prices === null || media.type !== prices.type) return null
  return { ...media, prices } as Offering['media']
}

/** A request may be smaller than the one that was quoted, and not larger. */
function checkFits(bound: Bound, { most, fixed }: Quote): Bound {
  const whole = wholeBound(bound)
  // Where the client names no limit, a longer input may leave less room for the answer: the input is compared alone.
  const isLonger = bound.policy !== 'exact' && bound.fixed > fixed
  if (whole <= most && !isLonger) return bound
  const needed = isLonger && whole <= most ? 'has a longer input than the quoted one' : 'asks for more than was quoted'
  throw mismatch(
    `The request ${needed}: it can cost ${formatCredits(whole)} credits, and the quote covers ${formatCredits(most)}.`,
    QUOTE_HEADER,
    { credits_required: creditsJson(whole), credits_at_most: creditsJson(most) },
  )
}

function mismatch(reason: string, param = QUOTE_HEADER, details: Readonly<Record<string, unknown>> = {}): ServiceError {
  const message = `${reason} Ask for a new quote. You were not charged.`
  return new ServiceError('quote_mismatch', message, { param, details, shouldRetry: false })
}
