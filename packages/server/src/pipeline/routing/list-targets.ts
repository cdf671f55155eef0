/**
 * Room `routing`: which upstreams may serve a request, in what order, and how they are asked one after the other. Every
 * kind of work walks its targets here, so that all of them are repeated, left alone and abandoned by the same rules.
 */
import { type Model, type ModelTarget, offeringsOf } from '../../catalog/model.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { type UpstreamFailure, upstreamFailure } from '../../upstreams/upstream-failure.ts'
import { slotsFull } from '../../upstreams/call-slots.ts'
import type { WatchedUpstream } from '../../upstreams/watch-health.ts'
import type { Target } from './target.ts'

export interface TargetDeps {
  /** The upstream that serves a model, or one of its targets. */
  readonly upstreamOf: (served: Pick<ModelTarget, 'upstream'>) => WatchedUpstream
  /** A number from 0 to 1, 1 excluded: which target is asked first, where targets have weights. */
  readonly random: () => number
  /** Called when a request is refused since it would wait too long for its upstreams. It must not throw. */
  readonly onBusy?: (() => void) | undefined
}

/** One offering of a model: who sells it, under what name, at what price. */
export type Offering = Target & Pick<ModelTarget, 'price' | 'media'>

/**
 * What a place is to a request: a target with what the request needs to know of it; null where what is asked for is not
 * sold there.
 *
 * @throws {ServiceError} where that place cannot do what is asked.
 */
export type SelectTarget<To extends Target> = (offering: Offering) => To | null

interface Weighed<To extends Target> {
  readonly target: To
  readonly weight: number
}

/** Drawn one after the other, each by its weight among those that are left. */
function drawByWeight<To extends Target>(targets: readonly Weighed<To>[], random: () => number): Weighed<To>[] {
  const left = [...targets]
  const drawn: Weighed<To>[] = []
  while (left.length > 0) {
    let mark = random() * left.reduce((sum, { weight }) => sum + weight, 0)
    const index = left.findIndex(({ weight }) => (mark -= weight) < 0)
    drawn.push(...left.splice(index === -1 ? left.length - 1 : index, 1))
  }
  return drawn
}

/** Longest time that a caller is asked to wait, in seconds: clients give up on longer ones. */
const RETRY_AFTER_MAX_SECONDS = 60

/** Everything that could serve the model is left alone for now, since it has failed lately. */
export function circuitsOpen(targets: readonly Target[]): UpstreamFailure {
  const waits = targets.map(({ upstream, upstreamModel }) => upstream.circuits.waitMs(upstreamModel))
  return upstreamFailure('circuit_open', {
    upstream: targets.map(({ upstream }) => upstream.name).join(','),
    retryAfterSeconds: Math.min(Math.max(1, Math.ceil(Math.min(...waits) / 1_000)), RETRY_AFTER_MAX_SECONDS),
    isUnbilled: true,
  })
}

/** Everything that could serve the model has all the calls that it takes, and too many wait. */
function allBusy(targets: readonly Target[]): UpstreamFailure {
  const waits = targets.map(({ upstream }) => upstream.slots?.expectedMs ?? 0)
  return slotsFull(targets.map(({ upstream }) => upstream.name).join(','), Math.min(...waits))
}

/** Whether an upstream that may serve a model would be asked now: it is neither left alone nor full. */
export function isInService(deps: Pick<TargetDeps, 'upstreamOf'>, model: Model): boolean {
  const isAlone = model.route?.fallback === false && !model.route.isWeighted
  const places = isAlone ? offeringsOf(model).slice(0, 1) : offeringsOf(model)
  return places.some((place) => {
    const { circuits, slots } = deps.upstreamOf(place)
    return circuits.waitMs(place.upstreamModel) === 0 && slots?.isFull !== true
  })
}

/** @throws {ServiceError} why the first that cannot do what is asked cannot, where none can. */
function ableTargets<To extends Target>(deps: TargetDeps, model: Model, selectTarget: SelectTarget<To>): Weighed<To>[] {
  const able: Weighed<To>[] = []
  let refusal: ServiceError | null = null
  for (const place of offeringsOf(model)) {
    const { upstreamModel, price, media, weight } = place
    try {
      const target = selectTarget({ upstream: deps.upstreamOf(place), upstreamModel, price, media })
      if (target !== null) able.push({ target, weight })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      refusal ??= error
    }
  }
  if (able.length > 0) return able
  throw refusal ?? new InvariantError(`No target sells ${model.id} for what it was found for`)
}

/**
 * Lists every upstream that may come to serve a request, whether it is left alone at the moment or not. In the order of
 * the route, also where requests draw theirs by weight.
 *
 * @throws {ServiceError} 400 when none can do what is asked.
 */
export function listEveryTarget<To extends Target>(
  deps: TargetDeps,
  model: Model,
  selectTarget: SelectTarget<To>,
): readonly [To, ...To[]] {
  const [first, ...others] = ableTargets(deps, model, selectTarget).map(({ target }) => target)
  if (first === undefined) throw new InvariantError(`No target sells ${model.id}`)
  const { route } = model
  return route?.fallback === false && !route.isWeighted ? [first] : [first, ...others]
}

/**
 * Lists the upstreams for a request: in the order of the route or drawn by weight, without those that cannot do what is
 * asked, those that are left alone because they fail, and those for which it would wait too long. Each may come to serve
 * it, so the hold covers all of them.
 *
 * @throws {ServiceError} 400 when none can do what is asked, 503 when all are left alone or busy.
 */
export function listTargets<To extends Target>(
  deps: TargetDeps,
  model: Model,
  selectTarget: SelectTarget<To>,
): readonly [To, ...To[]] {
  const { route } = model
  const able = ableTargets(deps, model, selectTarget)
  const ordered = route?.isWeighted === true ? drawByWeight(able, deps.random) : able
  const used = (route?.fallback === false ? ordered.slice(0, 1) : ordered).map(({ target }) => target)
  const working = used.filter(({ upstream, upstreamModel }) => upstream.circuits.waitMs(upstreamModel) === 0)
  if (working.length === 0) throw circuitsOpen(used)
  const [first, ...others] = working.filter(({ upstream }) => upstream.slots?.isFull !== true)
  if (first !== undefined) return [first, ...others]
  deps.onBusy?.()
  throw allBusy(working)
}
