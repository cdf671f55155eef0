/**
 * What upstreams have billed for one request. The reader of an upstream's answer notes here what it says that it cost,
 * be it an answer or a failure; the settlement of the hold charges what was delivered, and writes off all the rest.
 * Source: decision 0084 (what an upstream bills and no client pays).
 */
import type { AttoUsd } from '../pricing/price.ts'
import { attoUsdOf, ZERO_USD } from '../pricing/usd.ts'
import type { ChatUpstream } from './chat-upstream.ts'
import type { UpstreamBill } from './upstream-failure.ts'

/** A cost that is not known yet, and who knows it. */
export interface UnknownCost {
  readonly generationId: string
  readonly upstream: Pick<ChatUpstream, 'findCost'>
}

interface Entry {
  readonly upstream: Pick<ChatUpstream, 'findCost'>
  readonly generationId: string | null
  cost: AttoUsd | null
  /** The part that the request's charge is made from, or all of it. */
  paid: bigint
  isDelivered: boolean
}

/** The bill of one request. */
export class Bill {
  readonly #entries = new Map<UpstreamBill, Entry>()

  /**
   * Notes what one call to an upstream says. No client pays for it until `deliver` says so.
   *
   * @param cost as the report says, or as its counts make it.
   */
  note(report: UpstreamBill, upstream: Pick<ChatUpstream, 'findCost'>, cost: AttoUsd | null = report.cost): void {
    const { generationId } = report
    this.#entries.set(report, { upstream, generationId, cost, paid: 0n, isDelivered: false })
  }

  /**
   * The caller is about to be charged for what a report bills.
   *
   * @param part of its cost; absent: all.
   */
  deliver(report: UpstreamBill, part: AttoUsd | null = null): void {
    const entry = this.#entries.get(report)
    if (entry === undefined) return
    entry.isDelivered = true
    entry.paid = part ?? entry.cost ?? 0n
  }

  /** Nothing was delivered after all. */
  withdraw(): void {
    for (const entry of this.#entries.values()) {
      entry.paid = 0n
      entry.isDelivered = false
    }
  }

  /** Costs of what was not delivered that were not reported yet. */
  get unknown(): readonly UnknownCost[] {
    return [...this.#entries.values()].flatMap(({ upstream, generationId, cost, isDelivered }) =>
      cost !== null || isDelivered || generationId === null ? [] : [{ generationId, upstream }],
    )
  }

  /** A cost that was not known has been reported. */
  learn({ generationId }: UnknownCost, cost: AttoUsd): void {
    for (const entry of this.#entries.values()) {
      if (entry.generationId === generationId && !entry.isDelivered) entry.cost ??= cost
    }
  }

  /** The upstream's own id of what was made last; null where it gave none. */
  get generationId(): string | null {
    return [...this.#entries.values()].at(-1)?.generationId ?? null
  }

  /** What is billed and brings the caller nothing. */
  get lost(): AttoUsd {
    let lost: bigint = ZERO_USD
    for (const { cost, paid } of this.#entries.values()) lost += (cost ?? 0n) - paid
    return attoUsdOf(lost)
  }
}
