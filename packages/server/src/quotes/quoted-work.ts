/** How the work of a request becomes a quote, whatever its kind. */
import { nanocreditsOf, type Nanocredits } from '@svc/contract'
import { offeringsOf } from '../catalog/model.ts'
import type { Bound, FoundModel, PaidWork } from '../pipeline/paid-work.ts'
import { type Quote, type QuotedTarget, wholeBound } from '../pipeline/quote.ts'
import { listEveryTarget, type TargetDeps } from '../pipeline/routing/list-targets.ts'
import type { Target } from '../pipeline/routing/target.ts'
import { type BoundLine, sumOfLines, tidyLines } from '../pricing/bound-line.ts'
import { InvariantError } from '../platform/errors/invariant-error.ts'

/** What a request can cost, with what it was made of. */
export interface TakenQuote {
  readonly quote: Omit<Quote, 'expiresAt'>
  /** As the request names it. */
  readonly model: string
  /** What it probably costs; never above the maximum. */
  readonly likely: Nanocredits
  /** What the maximum is made of: together they are it. */
  readonly lines: readonly BoundLine[]
}

/** What is said of the bound of a request. */
export interface Described {
  /** The part of the maximum that is for the input, where the request names no limit of its output. */
  readonly fixed: Nanocredits
  readonly likely: Nanocredits
  /** No less than the bound, together. */
  readonly lines: readonly BoundLine[]
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
 * @throws {InvariantError} where the lines do not cover the bound.
 */
export function quoted<To extends Target>(
  work: BoundedWork<To>,
  describe: (found: FoundModel<To>, bound: Bound) => Described | Promise<Described>,
): TakeQuote {
  return async (deps) => {
    const model = work.findModel()
    const targets = listEveryTarget(deps, model, work.selectTarget(model))
    const found = { model, targets }
    const bound = await work.bound(found)
    const { fixed, likely, lines } = await describe(found, bound)
    const most = sumOfLines(lines)
    if (most < wholeBound(bound)) throw new InvariantError('The lines of a quote do not cover its bound')
    const { id, contextLength, maxOutputTokens } = model
    const locked = { model: id, contextLength, maxOutputTokens, targets: pricesOf(found) }
    return {
      quote: { type: work.type, ...locked, most, fixed },
      model: work.model,
      likely: likely < most ? likely : most,
      lines: tidyLines(lines),
    }
  }
}

function pricesOf<To extends Target>({ model, targets }: FoundModel<To>): readonly QuotedTarget[] {
  return offeringsOf(model).flatMap(({ upstream, upstreamModel, price, media }) => {
    const isUsed = targets.some((target) => target.upstream.name === upstream && target.upstreamModel === upstreamModel)
    return isUsed ? [{ upstream, upstreamModel, price, media: media?.prices ?? null }] : []
  })
}

/** The lines of work that is charged by its prompt. @param requests how many, and what they are called. */
export function promptLines(
  { fixed, perUnit, units }: Bound,
  { unit, quantity }: Pick<BoundLine, 'unit' | 'quantity'> = { unit: 'requests', quantity: 1 },
): readonly BoundLine[] {
  return [
    { unit, quantity, perUnit: nanocreditsOf(fixed / BigInt(quantity)) },
    { unit: 'prompt_tokens', quantity: units, perUnit },
  ]
}

/** All amounts together. */
export function sumOf(amounts: readonly bigint[]): Nanocredits {
  return nanocreditsOf(amounts.reduce((sum, amount) => sum + amount, 0n))
}
