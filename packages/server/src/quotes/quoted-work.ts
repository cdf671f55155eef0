/** How the work of a request becomes a quote, whatever its kind. */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import { offeringsOf } from '../catalog/model.ts'
import type { Bound, FoundModel, PaidWork } from '../pipeline/paid-work.ts'
import { type Quote, type QuotedTarget, wholeBound } from '../pipeline/quote.ts'
import { listEveryTarget, type TargetDeps } from '../pipeline/routing/list-targets.ts'
import type { Target } from '../pipeline/routing/target.ts'
import { InvariantError } from '../platform/errors/invariant-error.ts'

/** What a part of the maximum is for. All lines together are the maximum. */
export interface QuoteLine {
  /** Such as `prompt_tokens`, `images` or `seconds`. */
  readonly unit: string
  /** At most. */
  readonly quantity: number
  readonly credits: Nanocredits
}

/** What a request can cost, with what it was made of. */
export interface TakenQuote {
  readonly quote: Omit<Quote, 'expiresAt'>
  /** As the request names it. */
  readonly model: string
  /** What it probably costs; never above the maximum. */
  readonly likely: Nanocredits
  readonly lines: readonly QuoteLine[]
}

/** What is said of a bound beside its amount. */
export interface Described {
  readonly bound: Bound
  readonly likely: Nanocredits
  readonly lines: readonly QuoteLine[]
}

/** Takes the quote of one request. Which targets its work has is known here alone. */
export type TakeQuote = (deps: TargetDeps) => Promise<TakenQuote>

/** As much of a request's work as says what it can cost. */
export type BoundedWork<To extends Target> = Pick<
  PaidWork<To, never, never, never>,
  'type' | 'model' | 'findModel' | 'selectTarget' | 'bound'
>

/** A quote begins no work. */
export function beginsNothing(): never {
  throw new InvariantError('A request was worked on for its quote')
}

/**
 * Makes what takes the quote of a request.
 *
 * @param describe what the bound is made of, and what is likely.
 */
export function quoted<To extends Target>(
  work: BoundedWork<To>,
  describe: (found: FoundModel<To>, bound: Bound) => Described | Promise<Described>,
): TakeQuote {
  return async (deps) => {
    const model = work.findModel()
    const targets = listEveryTarget(deps, model, work.selectTarget(model))
    const found = { model, targets }
    const { bound, likely, lines } = await describe(found, await work.bound(found))
    const most = wholeBound(bound)
    const { id, contextLength, maxOutputTokens } = model
    const locked = { model: id, contextLength, maxOutputTokens, targets: pricesOf(found) }
    return {
      quote: { type: work.type, ...locked, most, fixed: bound.fixed },
      model: work.model,
      likely: likely < most ? likely : most,
      lines: lines.filter(({ credits, quantity }) => credits > 0n || quantity > 0),
    }
  }
}

function pricesOf<To extends Target>({ model, targets }: FoundModel<To>): readonly QuotedTarget[] {
  return offeringsOf(model).flatMap(({ upstream, upstreamModel, price, media }) => {
    const isUsed = targets.some((target) => target.upstream.name === upstream && target.upstreamModel === upstreamModel)
    return isUsed ? [{ upstream, upstreamModel, price, media: media?.prices ?? null }] : []
  })
}

/** The lines of work that is bounded by one quantity. */
export function oneLine(unit: string, quantity: number, bound: Bound): readonly QuoteLine[] {
  return [{ unit, quantity, credits: wholeBound(bound) }]
}

/** All amounts together. */
export function sumOf(amounts: readonly bigint[]): Nanocredits {
  return nanocreditsOf(amounts.reduce((sum, amount) => sum + amount, 0n))
}
