/**
 * What the models of one upstream refuse of that which an answer does not need: something that the gateway adds, or
 * that the history of a conversation brings from another upstream. It is learned from an answer that came without, and
 * left out from then on. Source: decision 0117.
 */
import { UpstreamFailure } from '../upstream-failure.ts'

/** How long a refusal is remembered, in milliseconds: servers are renewed. Source: own choice. */
const REMEMBERED_MS = 3_600_000
/** Models that are remembered; the oldest is forgotten first. Source: own choice. */
const MODELS_MAX = 1_000

/** Parts that are left out. */
export type LeftOut<Part extends string> = ReadonlySet<Part>

interface Learned<Part> {
  /** When it is forgotten, by the monotonic clock. */
  until: number
  readonly refused: Set<Part>
  /** What an answer has come with: an error that names none of it is about something else. */
  readonly taken: Set<Part>
}

/** A request as far as its parts concern it. */
export interface PartedRequest<Part extends string> {
  readonly upstreamModel: string
  readonly signal: AbortSignal
  /** A part that it has for certain; null for none. An answer shows that it is taken. */
  readonly certain: Part | null
  /** All parts that it has, of those that can be left out. Asked for where the request was refused alone. */
  readonly parts: () => readonly Part[]
}

export const NOTHING_LEFT_OUT: ReadonlySet<never> = new Set()

/** Statuses of a request that was refused as it is: nothing was begun. */
const REFUSED: ReadonlySet<number | null> = new Set([400, 422])

/** Remembers for one upstream. */
export class LearnedRefusals<Part extends string> {
  readonly #models = new Map<string, Learned<Part>>()

  /**
   * Asks without what the model is known to refuse, and again where it refuses more: once where its error names no part,
   * and once for each part that its errors name one after the other. What an upstream may have begun to work on is never
   * sent again.
   *
   * @param ask one attempt without the given parts.
   * @throws what the last attempt threw.
   */
  async ask<Answer>(request: PartedRequest<Part>, ask: (left: LeftOut<Part>) => Promise<Answer>): Promise<Answer> {
    const known = this.leftOut(request.upstreamModel)
    const more = new Set<Part>()
    for (;;) {
      const left: LeftOut<Part> = more.size === 0 ? known : new Set([...known, ...more])
      try {
        const answer = await ask(left)
        this.#worked(request, known, more)
        return answer
      } catch (error) {
        const suspects = request.signal.aborted
          ? []
          : this.#suspects(request, error, { left, isFirst: more.size === 0 })
        if (suspects.length === 0) throw error
        for (const part of suspects) more.add(part)
      }
    }
  }

  /** What is left out for a model. */
  leftOut(model: string): LeftOut<Part> {
    const learned = this.#models.get(model)
    if (learned === undefined) return NOTHING_LEFT_OUT
    if (performance.now() <= learned.until) return learned.refused
    this.#models.delete(model)
    return NOTHING_LEFT_OUT
  }

  /** What the upstream has probably refused: what its error names, else at first all that it has not taken before. */
  #suspects(
    { upstreamModel, parts }: PartedRequest<Part>,
    error: unknown,
    { left, isFirst }: { readonly left: LeftOut<Part>; readonly isFirst: boolean },
  ): readonly Part[] {
    const isRefused = error instanceof UpstreamFailure && error.kind === 'rejected_request'
    if (!isRefused || !REFUSED.has(error.upstreamStatus) || (error.cost ?? 0n) > 0n) return []
    const sent = parts().filter((part) => !left.has(part))
    const named = sent.filter((part) => error.names.includes(part))
    if (named.length > 0 || !isFirst) return named
    const taken = this.#models.get(upstreamModel)?.taken
    return sent.filter((part) => taken?.has(part) !== true)
  }

  /** @param more what it came without, beside what was known. */
  #worked({ upstreamModel, certain }: PartedRequest<Part>, known: LeftOut<Part>, more: LeftOut<Part>): void {
    for (const part of more) this.#learn(upstreamModel).refused.add(part)
    if (certain === null || known.has(certain) || more.has(certain)) return
    if (this.#models.get(upstreamModel)?.taken.has(certain) !== true) this.#learn(upstreamModel).taken.add(certain)
  }

  #learn(model: string): Learned<Part> {
    const known = this.#models.get(model)
    if (known !== undefined) return known
    for (const oldest of this.#models.keys()) {
      if (this.#models.size < MODELS_MAX) break
      this.#models.delete(oldest)
    }
    const learned = { until: performance.now() + REMEMBERED_MS, refused: new Set<Part>(), taken: new Set<Part>() }
    this.#models.set(model, learned)
    return learned
  }
}
