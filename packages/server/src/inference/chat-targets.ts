/** Which upstreams a chat request may be sent to, and in what order. */
import type { Model, ModelRoute, ModelTarget } from '../catalog/model.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { ChatPrice } from '../pricing/price.ts'
import { type UpstreamFailure, upstreamFailure } from '../upstream/upstream-failure.ts'
import type { WatchedUpstream } from '../upstream/watch-health.ts'

/** One upstream that may serve a request. */
export interface Target {
  readonly upstream: WatchedUpstream
  /** The id that it knows. */
  readonly upstreamModel: string
}

/** The same of a request that is charged by its tokens, and what that costs. */
export interface ChatTarget extends Target {
  readonly price: ChatPrice
}

export interface ChatTargetDeps {
  /** The upstream that serves a model, or one of its targets. */
  readonly upstreamOf: (served: Pick<ModelTarget, 'upstream'>) => WatchedUpstream
  /** A number from 0 to 1, 1 excluded: which target is asked first, where targets have weights. */
  readonly random: () => number
}

/** Drawn one after the other, each by its weight among those that are left. */
function drawByWeight<Target extends { readonly weight: number }>(
  targets: readonly Target[],
  random: () => number,
): Target[] {
  const left = [...targets]
  const drawn: Target[] = []
  while (left.length > 0) {
    let mark = random() * left.reduce((sum, { weight }) => sum + weight, 0)
    const index = left.findIndex(({ weight }) => (mark -= weight) < 0)
    drawn.push(...left.splice(index === -1 ? left.length - 1 : index, 1))
  }
  return drawn
}

function routeTargets(deps: ChatTargetDeps, route: ModelRoute): ChatTarget[] {
  const ordered = route.isWeighted ? drawByWeight(route.targets, deps.random) : route.targets
  const used = route.fallback ? ordered : ordered.slice(0, 1)
  return used.map((target) => {
    const { upstreamModel, price } = target
    return { upstream: deps.upstreamOf(target), upstreamModel, price }
  })
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

/** What an upstream must be able to do for a request. */
export interface TargetNeed {
  isMet(upstream: WatchedUpstream): boolean
  /** What the client is told where no upstream can. */
  refusal(): ServiceError
}

/** What a chat with so many choices needs. */
export function needChoices(choices: number): TargetNeed {
  return {
    isMet: (upstream) => choices <= 1 || upstream.supportsChoices,
    refusal: () => {
      const message = "Unsupported parameter: 'n' above 1 is not supported by this model."
      return new ServiceError('unsupported_parameter', message, { param: 'n' })
    },
  }
}

/**
 * Lists the upstreams for a request: in the order of the route or drawn by weight, without those that are left alone
 * because they fail, and those that cannot do what is asked. Each may come to serve it, so the hold covers all of them.
 *
 * @throws {ServiceError} 400 when none can do what is asked, 503 when all are left alone.
 */
export function listTargets(
  deps: ChatTargetDeps,
  { model, price }: { readonly model: Model; readonly price: ChatPrice },
  need: TargetNeed,
): readonly [ChatTarget, ...ChatTarget[]] {
  const { upstreamModel } = model
  const all =
    model.route === null
      ? [{ upstream: deps.upstreamOf(model), upstreamModel, price }]
      : routeTargets(deps, model.route)
  const able = all.filter(({ upstream }) => need.isMet(upstream))
  if (able.length === 0) throw need.refusal()
  const [first, ...others] = able.filter((target) => target.upstream.circuits.waitMs(target.upstreamModel) === 0)
  if (first === undefined) throw circuitsOpen(able)
  return [first, ...others]
}
