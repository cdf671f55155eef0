import { ServiceError } from '../../platform/errors/service-error.ts'
import type { SettleHold } from '../ledger/operations.ts'
import type { MonotonicClock } from '../../platform/runtime/clock.ts'

/** One free answer is forgiven in so many milliseconds. Source: own choice. */
const FORGIVEN_MS = 60_000
/** The longest that an account is asked to wait between two requests, in milliseconds. */
const WAIT_MAX_MS = 60_000
/** Accounts that are remembered at most; the oldest is forgotten first. */
const ACCOUNTS_MAX = 10_000

interface Provoked {
  readonly count: number
  readonly lastAt: number
  /** What the dearest of them cost us, in nanocredits. */
  readonly dearest: bigint
}

/** So many are no fault of the key; read at each request. */
export interface FreeAnswerLimits {
  readonly freeAnswers: number
}

/**
 * Slows accounts whose requests end again and again in answers that are free for them and not for the operator: without
 * content, or failed and billed all the same. An answer that is charged forgives one that cost no more. One count for
 * an account, whatever kinds of requests it makes. Each process counts for itself. Source: decision 0079.
 */
export class EmptyAnswerThrottle {
  readonly #limits: FreeAnswerLimits
  readonly #clock: MonotonicClock
  readonly #accounts = new Map<string, Provoked>()

  constructor(limits: FreeAnswerLimits, clock: MonotonicClock) {
    this.#limits = limits
    this.#clock = clock
  }

  /** Learns how a request of an account was settled. */
  note(accountId: string, { charge, cost, facts }: Pick<SettleHold, 'charge' | 'cost' | 'facts'>): void {
    const isProvoked = charge === 0n && (facts.errorCode === 'upstream_empty' || cost > 0n)
    if (!isProvoked && (charge === 0n || this.#accounts.size === 0)) return
    const now = this.#clock.elapsed()
    const account = this.#accounts.get(accountId) ?? { count: 0, lastAt: now, dearest: 0n }
    // Else a few tokens of an embedding would forgive a prompt of a million.
    if (!isProvoked && charge < account.dearest) return
    const count = leftOf(account, now) + (isProvoked ? 1 : -1)
    this.#accounts.delete(accountId)
    if (count <= 0) return
    const dearest = isProvoked && cost > account.dearest ? cost : account.dearest
    for (const oldest of this.#accounts.keys()) {
      if (this.#accounts.size < ACCOUNTS_MAX) break
      this.#accounts.delete(oldest)
    }
    this.#accounts.set(accountId, { count, lastAt: now, dearest })
  }

  /** @throws {ServiceError} `rate_limit_exceeded` when the account has to wait, the longer the more it provoked. */
  check(accountId: string): void {
    const account = this.#accounts.get(accountId)
    if (account === undefined) return
    const now = this.#clock.elapsed()
    const beyond = Math.ceil(leftOf(account, now)) - this.#limits.freeAnswers
    if (beyond <= 0) return
    const waitMs = Math.min(1_000 * 2 ** (beyond - 1), WAIT_MAX_MS) - (now - account.lastAt)
    if (waitMs <= 0) return
    const waitSeconds = Math.ceil(waitMs / 1_000)
    const message =
      `Too many requests of this account ended in answers without content: at most ${this.#limits.freeAnswers} lately, of which ` +
      `one is forgiven a minute. Try again in ${waitSeconds} s.`
    throw new ServiceError('rate_limit_exceeded', message, { retryAfterSeconds: waitSeconds })
  }
}

function leftOf({ count, lastAt }: Provoked, now: number): number {
  return Math.max(0, count - Math.max(0, now - lastAt) / FORGIVEN_MS)
}
