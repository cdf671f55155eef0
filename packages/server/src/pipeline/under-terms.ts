/** The work of a request within what its caller has agreed to pay. Source: decision 0149. */
import { creditsJson, formatCredits, type Nanocredits } from '@svc/contract'
import { SMALL_LIMIT_UNITS } from '../money/billing/small-limit.ts'
import { unitsFor } from '../money/ledger/hold-size.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { Bound, FoundModel, PaidWork } from './paid-work.ts'
import { wholeBound } from './quote.ts'
import type { Target } from './routing/target.ts'
import { MAX_CREDITS_HEADER, type Terms } from './terms.ts'
import { underQuote } from './under-quote.ts'

/**
 * The same work within what its caller agreed to: an answer whose length can be limited is limited to what that pays
 * for, and anything else that could cost more is refused.
 */
export function underTerms<To extends Target, Answer, Reply, End>(
  asked: PaidWork<To, Answer, Reply, End>,
  { most, quote }: Terms,
): PaidWork<To, Answer, Reply, End> {
  const work = quote === null ? asked : underQuote(asked, quote)
  const sharpest = async (found: FoundModel<To>): Promise<Bound | null> => (await work.sharperBound?.(found)) ?? null
  return {
    ...work,
    bound: async (found) => {
      const bound = await work.bound(found)
      const fitting = withinMaximum(bound, most)
      if (fitting !== null && !isSmall(bound, fitting)) return fitting
      const sharper = await sharpest(found)
      const counted = sharper === null ? null : withinMaximum(sharper, most)
      if (counted !== null) return counted
      if (fitting !== null) return fitting
      throw maxCreditsExceeded(sharper ?? bound, most)
    },
    sharperBound: async (found) => {
      const sharper = await sharpest(found)
      return sharper === null ? null : withinMaximum(sharper, most)
    },
  }
}

/** A limit of ours so low that a real count of the prompt may leave several times as much. */
function isSmall(bound: Bound, { units }: Bound): boolean {
  return units < bound.units && units < SMALL_LIMIT_UNITS
}

/** The bound with as many units as an amount pays for; null where these are too few. */
function withinMaximum(bound: Bound, most: Nanocredits): Bound | null {
  const units = unitsFor(most, bound.fixed, bound.perUnit, bound.units)
  if (units === bound.units && bound.fixed <= most) return bound
  return bound.isDivisible === true && units > 0 ? { ...bound, units } : null
}

/**
 * Names what the request can cost as it was asked, and the least that would do: all of it, or one unit where fewer than
 * all of them are an answer, too.
 */
function maxCreditsExceeded(bound: Bound, most: Nanocredits): ServiceError {
  const whole = wholeBound(bound)
  const required = wholeBound(bound.isDivisible === true ? { ...bound, units: Math.min(bound.units, 1) } : bound)
  const advice =
    required < whole
      ? `It needs at least ${formatCredits(required)}, for a shorter answer.`
      : `It needs at least ${formatCredits(required)}: raise the header, or ask for less.`
  const message =
    `This request can cost ${formatCredits(whole)} credits, and '${MAX_CREDITS_HEADER}' allows ` +
    `${formatCredits(most)}. ${advice} You were not charged.`
  return new ServiceError('max_credits_exceeded', message, {
    param: MAX_CREDITS_HEADER,
    shouldRetry: false,
    details: {
      credits_required: creditsJson(required),
      credits_as_asked: creditsJson(whole),
      credits_at_most: creditsJson(most),
    },
  })
}
