import type { SystemClock } from '../../platform/runtime/clock.ts'
import { type CallLimit, CallQuota, decideCall, type QuotaRefusal, type QuotaWindow } from './call-quota.ts'
import type { LimitStore } from './limit-store.ts'
import type { StoreLink } from './store-link.ts'

export interface SharedCallQuotaDeps {
  readonly store: Pick<LimitStore, 'takeCall'>
  readonly link: StoreLink
  readonly clock: SystemClock
  readonly share: () => number
  readonly onRefused: () => void
}

/**
 * Exact counts of rare and dear calls over all processes: never more than `max` in any stretch of `withinMs`. Each call
 * is a short transaction; while the store is down, each process counts its own against its part.
 */
export class SharedCallQuota implements CallLimit {
  readonly #deps: SharedCallQuotaDeps
  readonly #kind: string
  readonly #windows: readonly QuotaWindow[]
  /** What passed in this process, for the time when the store is down. */
  readonly #own: CallQuota

  /** @param kind names the counts in the store, the same in every process. */
  constructor(deps: SharedCallQuotaDeps, kind: string, windows: readonly QuotaWindow[]) {
    this.#deps = deps
    this.#kind = kind
    this.#windows = windows
    this.#own = new CallQuota(windows, deps.clock)
  }

  async take(caller: string): Promise<QuotaRefusal | null> {
    const refusal = await this.#decide(caller)
    if (refusal !== null) this.#deps.onRefused()
    return refusal
  }

  async #decide(caller: string): Promise<QuotaRefusal | null> {
    const { store, link, clock, share } = this.#deps
    // What this process let through is enough to know: also of the calls that the store missed while it was down.
    const known = this.#own.findRefusal(caller)
    if (known !== null) return known
    const now = clock.now()
    const decided = await link.ask(async () => {
      let refusal: QuotaRefusal | null = null
      await store.takeCall({ kind: this.#kind, caller }, now, (before) => {
        const decision = decideCall(before, this.#windows, now)
        refusal = decision.refusal
        return refusal === null ? decision.calls : null
      })
      return { refusal }
    })
    if (decided === null) return this.#own.take(caller, share())
    if (decided.refusal === null) this.#own.note(caller)
    return decided.refusal
  }
}
