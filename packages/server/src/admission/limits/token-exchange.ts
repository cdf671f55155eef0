import type { Clock } from '../../platform/runtime/clock.ts'
import type { LimitStore } from './limit-store.ts'
import type { StoreLink } from './store-link.ts'
import type { LocalTokenLease } from './local-token-lease.ts'

export interface TokenExchangeDeps {
  readonly store: Pick<LimitStore, 'takeTokens'>
  readonly link: StoreLink
  readonly clock: Clock
  /** How many processes share the limits, this one included. */
  readonly share: () => number
}

/** Buckets in one statement at most. */
const BUCKETS_AT_ONCE = 500

/**
 * Asks the shared buckets for what the leases of this process need: one statement at a time, so that a caller who waits
 * meanwhile shares the next one.
 */
export class TokenExchange {
  readonly #deps: TokenExchangeDeps
  readonly #due = new Set<LocalTokenLease>()
  #running: Promise<void> | null = null
  #isClosing = false

  constructor(deps: TokenExchangeDeps) {
    this.#deps = deps
  }

  /** Asks for a lease, now or with the next statement. */
  request(lease: LocalTokenLease): void {
    this.#due.add(lease)
    this.#running ??= this.#run()
  }

  /** Resolves once everything that was requested is answered. */
  async flush(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  /** From now on every question gives back what its lease holds. */
  close(): void {
    this.#isClosing = true
  }

  async #run(): Promise<void> {
    // Callers of the same turn are asked for at once.
    await Promise.resolve()
    while (this.#due.size > 0) {
      const leases = [...this.#due].slice(0, BUCKETS_AT_ONCE)
      for (const lease of leases) this.#due.delete(lease)
      await this.#ask(leases)
    }
    // In the same turn in which nothing was due: the next caller begins anew.
    this.#running = null
  }

  async #ask(leases: readonly LocalTokenLease[]): Promise<void> {
    const { store, link, clock, share } = this.#deps
    const now = clock.now()
    const questions = leases.map((lease) => {
      return { kind: lease.kind, caller: lease.caller, ...lease.ask(now, this.#isClosing) }
    })
    const answers = await link.ask(() => store.takeTokens(questions, now))
    const answeredAt = clock.now()
    if (answers === null) {
      for (const lease of [...leases, ...this.#due]) lease.lose(answeredAt, share())
      this.#due.clear()
      return
    }
    leases.forEach((lease, index) => {
      const answer = answers[index] ?? null
      if (answer === null) lease.askAgain()
      else lease.answer(answer, answeredAt, share())
      if (answer === null) this.#due.add(lease)
    })
  }
}
