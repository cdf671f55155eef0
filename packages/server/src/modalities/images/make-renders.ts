/**
 * Asks an upstream for images until there are as many as were asked for, or it gives no more. One answer never has
 * images of two upstreams.
 */
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Paid } from '../../pipeline/paid-work.ts'
import type { PartialImage, UpstreamImageRequest, UpstreamImages } from '../../upstreams/image-upstream.ts'
import { billOf, type UpstreamBill, UpstreamFailure, upstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { ImageCall } from './image-call.ts'
import type { ImageTarget } from './image-target.ts'

export interface RenderWatcher {
  /** A partial image; null where the client takes none, so that none are asked for. */
  readonly onPartial: ((partial: PartialImage) => void) | null
  /** A call has come back with images. */
  readonly onMade: (made: UpstreamImages) => void
}

/** All calls of one request to an upstream: what came of those that succeeded, and why others failed. */
export interface MadeRenders {
  readonly answers: readonly UpstreamImages[]
  readonly failures: readonly Error[]
  /** What each call says of its cost, those among them whose failure has been mended by others. */
  readonly reports: readonly UpstreamBill[]
}

/** Failures that say that the upstream has looked at the request and did nothing. */
const refusals: ReadonlySet<string> = new Set(['upstream_rejected_request', 'invalid_value', 'unsupported_parameter'])

/** Why there is no image: above all what may have been billed. Null where there is one. */
export function whyNone({ answers, failures }: MadeRenders): Error | null {
  if (answers.some(({ renders }) => renders.length > 0)) return null
  const doubtful = failures.find((failure) => !(failure instanceof UpstreamFailure && failure.isRepeatable))
  return doubtful ?? failures[0] ?? null
}

/**
 * Makes the images of one request at one upstream. An upstream that makes fewer at a time is called as often as is
 * needed, at once: by what its list says, by what it refuses, and once more for those that are missing from a short
 * answer.
 *
 * Never rejects because of the upstream: what failed is returned beside what came.
 */
export async function makeAt(
  paid: Paid<ImageTarget>,
  target: ImageTarget,
  call: ImageCall,
  watcher: RenderWatcher,
): Promise<MadeRenders> {
  const { countMax, streams } = target.offer.facts
  const onPartial = streams === false ? null : watcher.onPartial
  const rounds = new Rounds(paid, target, call, { ...watcher, onPartial })
  // Partial images do not tell which render they are of, so a stream asks for one at a time.
  const atOnce = onPartial === null ? Math.max(1, Math.min(countMax ?? call.count, call.count)) : 1
  await rounds.ask(countsOf(call.count, atOnce))
  const mayRefuse = atOnce > 1 && rounds.came === 0 && rounds.failures.some(isRefusal)
  if (mayRefuse) await rounds.tryOneByOne()
  else if (rounds.failures.length === 0 && rounds.came > 0) await rounds.ask(countsOf(call.count - rounds.answered, 1))
  return { answers: rounds.answers, failures: rounds.failures, reports: rounds.reports }
}

function isRefusal(failure: Error): boolean {
  return failure instanceof ServiceError && refusals.has(failure.code)
}

/** So many renders in calls of a size. */
function countsOf(count: number, size: number): number[] {
  const counts: number[] = []
  for (let rest = count; rest > 0; rest -= size) counts.push(Math.min(size, rest))
  return counts
}

function emptyOf({ name: upstream }: { readonly name: string }, { generationId }: UpstreamImages): UpstreamFailure {
  return upstreamFailure('empty', { upstream, generationId })
}

class Rounds {
  readonly answers: UpstreamImages[] = []
  readonly reports: UpstreamBill[] = []
  failures: Error[] = []
  #renders = 0
  #answered = 0
  readonly #paid: Paid<ImageTarget>
  readonly #target: ImageTarget
  readonly #call: ImageCall
  readonly #watcher: RenderWatcher

  constructor(paid: Paid<ImageTarget>, target: ImageTarget, call: ImageCall, watcher: RenderWatcher) {
    this.#paid = paid
    this.#target = target
    this.#call = call
    this.#watcher = watcher
  }

  /** Images so far. */
  get came(): number {
    return this.#renders
  }

  /** The same with those that cannot be shown: an upstream that failed at one is not asked for it again. */
  get answered(): number {
    return this.#answered
  }

  async ask(counts: readonly number[]): Promise<void> {
    await Promise.all(counts.map((count) => this.#askFor(count)))
  }

  /** One alone first: a request that is refused for another reason is not refused many times. */
  async tryOneByOne(): Promise<void> {
    const before = this.failures
    this.failures = []
    await this.ask([1])
    if (this.came === 0) this.failures = before
    else await this.ask(countsOf(this.#call.count - this.came, 1))
  }

  async #askFor(count: number): Promise<void> {
    try {
      const { port, upstream } = this.#target
      const made = await port.create(this.#request(count), this.#watcher.onPartial)
      this.answers.push(made)
      this.reports.push(made)
      this.#renders += made.renders.length
      this.#answered += made.answered
      if (made.renders.length > 0) this.#watcher.onMade(made)
      else this.failures.push(emptyOf(upstream, made))
    } catch (error) {
      const report = billOf(error)
      if (report !== null) this.reports.push(report)
      this.failures.push(error instanceof Error ? error : new Error('A call has failed', { cause: error }))
    }
  }

  #request(count: number): UpstreamImageRequest {
    const { model, hold } = this.#paid
    const { prompt, settings, extras, inputs, mask, partialImages, kind } = this.#call
    return {
      ...{ prompt, count, settings, extras, inputs, mask, partialImages },
      isEdit: kind === 'edit',
      upstreamModel: this.#target.upstreamModel,
      confidential: model.confidential,
      signal: hold.ended.signal,
    }
  }
}
