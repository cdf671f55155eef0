import { burstOf, MINUTE_MS, type RateState } from './rate-limit.ts'

/** The verdict on a request: it passes with a wait of 0, else it may come again after so many milliseconds. */
export interface Verdict {
  readonly state: RateState
  readonly waitMs: number
}

/** What a lease asks the shared bucket, as `rate_take` reads it. Intervals are nanoseconds. */
export interface HandQuestion {
  readonly interval: number
  readonly burst: number
  readonly epoch: number
  readonly used: number
  readonly held: number
  readonly given: number
  readonly spent: number
  readonly need: number
  readonly wish: number
}

/** What the shared bucket answers. */
export interface HandAnswer {
  /** Of the requests that waited, so many pass. */
  readonly granted: number
  /** Tokens added to the lease. */
  readonly ahead: number
  /** The bucket's time. Ahead of this process's where another process's clock is. */
  readonly seenAt: number
  /** From then until the bucket is full. */
  readonly fullInMs: number
}

/** A second's worth of tokens is held, and a lease that was unused for so long gives back what is left. */
const SECOND_MS = 1_000
/** Tokens that a process holds count no more from the end of the next epoch on. Source: migration 0022. */
const EPOCH_MS = 2_000
/** All processes together hold at most this part of a burst. Source: decision 0063. */
const HELD_PART = 8
const NANOS_PER_MS = 1_000_000
/** Parts of a request, and of a millisecond, that are lost where times become numbers of JavaScript. */
const TOLERANCE = 0.001

interface Asked {
  readonly at: number
  readonly perMinute: number
  readonly used: number
  readonly spent: number
  readonly need: number
}

/**
 * What one process has leased of one caller's shared bucket: tokens that were granted ahead, requests that wait for
 * more, and a bucket of the process's own for the time when the store is down.
 */
export class LocalTokenLease {
  readonly kind: string
  readonly caller: string
  #perMinute = 0
  #burst = 0
  #intervalNanos = 0
  #intervalMs = 0
  #tokens = 0
  /** Of the tokens that were granted ahead, those used since the last question. */
  #used = 0
  /** Requests that passed while the store was down and that it does not know of. */
  #spent = 0
  /** In which the tokens were leased; they are worth something until `#validUntil`. */
  #epoch = 0
  #validUntil = 0
  #askedAt = 0
  #asked: Asked | null = null
  /** When the shared bucket is full, as far as known. */
  #fullAt = 0
  #refusedUntil = 0
  /** When the own bucket is full. */
  #ownFullAt = 0
  readonly #waiting: ((verdict: Verdict) => void)[] = []
  /** Requests that passed in the second that began at `#secondAt`, and in the one before. */
  #passed = 0
  #passedBefore = 0
  #secondAt = 0

  constructor(kind: string, caller: string) {
    this.kind = kind
    this.caller = caller
  }

  /** Sets the caller's rate. What was leased at another rate counts as used: the new one may allow less at once. */
  follow(perMinute: number): void {
    if (perMinute === this.#perMinute) return
    this.#perMinute = perMinute
    this.#burst = burstOf(perMinute)
    // Rounded up: a bucket may fill a billionth too slowly, and never too fast.
    this.#intervalNanos = Math.ceil((MINUTE_MS * NANOS_PER_MS) / perMinute)
    this.#intervalMs = this.#intervalNanos / NANOS_PER_MS
    this.#refusedUntil = 0
    this.#used += this.#tokens
    this.#tokens = 0
  }

  /** Decides with what is leased. @returns null when only the shared bucket can decide. */
  tryTakeLocal(now: number, share: number): Verdict | null {
    this.#dropExpired(now)
    if (this.#tokens > 0) {
      this.#tokens -= 1
      this.#used += 1
      return this.#pass(now, share)
    }
    // A wait that is longer than any is one of a clock that was set back.
    if (now >= this.#refusedUntil || this.#refusedUntil - now > MINUTE_MS) return null
    return { state: this.#state(now), waitMs: this.#refusedUntil - now }
  }

  /** Decides by the process's own bucket, which is the shared one divided by `share`. */
  takeOwn(now: number, share: number): Verdict {
    const step = this.#intervalMs * share
    const most = this.#ownBurst(share)
    this.#ownFullAt = Math.min(this.#ownFullAt, now + most * step)
    const missing = Math.max(0, this.#ownFullAt - now) / step
    const passes = most - missing > 1 - TOLERANCE
    if (passes) {
      this.#spent += 1
      this.#noteOwn(now, share)
    }
    const left = most - Math.max(0, this.#ownFullAt - now) / step
    const resetMs = Math.ceil(Math.max(0, this.#ownFullAt - now))
    const state = { limit: this.#perMinute, remaining: Math.max(0, Math.floor(left + TOLERANCE)), resetMs }
    return { state, waitMs: passes ? 0 : Math.max(1, (1 - left) * step) }
  }

  /** Waits for the next answer of the shared bucket. */
  wait(): Promise<Verdict> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Whether tokens run low, so that it is time to ask for more before a caller has to wait. */
  wantsMore(now: number): boolean {
    return this.#tokens * 2 < this.#wish(now)
  }

  /** Whether there is something that the shared bucket has to learn, or that can be given back. */
  get hasChanges(): boolean {
    return this.#tokens + this.#used + this.#spent > 0
  }

  /** Whether something has waited for about a second to be reported. */
  isStale(now: number): boolean {
    return this.hasChanges && this.#asked === null && Math.abs(now - this.#askedAt) >= SECOND_MS
  }

  /** Whether nothing is lost when it is forgotten. */
  isForgettable(now: number): boolean {
    const isOpen = this.hasChanges || this.#waiting.length > 0 || this.#asked !== null
    return !isOpen && now >= this.#ownFullAt && now >= this.#refusedUntil
  }

  /** What to ask now. What is given back leaves the lease with this call. */
  ask(now: number, isClosing: boolean): HandQuestion {
    this.#dropExpired(now)
    const need = this.#waiting.length
    const isIdle = this.#used === 0 && need === 0
    const wish = isIdle || isClosing ? 0 : this.#wish(now)
    const held = Math.min(this.#tokens, wish)
    const given = this.#tokens - held
    this.#tokens = held
    this.#asked = { at: now, perMinute: this.#perMinute, used: this.#used, spent: this.#spent, need }
    return {
      interval: this.#intervalNanos,
      burst: this.#burst,
      epoch: this.#epoch,
      ...{ used: this.#used, held, given, spent: this.#spent, need },
      wish: wish - held,
    }
  }

  /** Takes the answer: gives it to those who waited when it was asked for. */
  answer({ granted, ahead, seenAt, fullInMs }: HandAnswer, now: number, share: number): void {
    const asked = this.#asked
    if (asked === null) return
    this.#asked = null
    this.#askedAt = asked.at
    this.#used -= asked.used
    this.#spent -= asked.spent
    const epoch = Math.floor(seenAt / EPOCH_MS)
    if (epoch > this.#epoch + 1) {
      // The bucket's time is ahead of this process's: what was held has run out there.
      this.#tokens = 0
      this.#used = 0
    }
    const isOfThisRate = asked.perMinute === this.#perMinute
    // Tokens of a rate that has changed meanwhile are worth nothing, and count as used.
    if (isOfThisRate) this.#tokens += ahead
    else this.#used += ahead
    this.#epoch = epoch
    this.#validUntil = asked.at + (epoch + 2) * EPOCH_MS - seenAt
    this.#fullAt = asked.at + fullInMs
    const served = this.#waiting.splice(0, asked.need)
    const refusedFor = fullInMs - (this.#burst - 1) * this.#intervalMs
    // Until then every request is refused without a question, unless a later answer finds room.
    this.#refusedUntil = isOfThisRate && granted < served.length ? asked.at + refusedFor : 0
    served.forEach((resolve, index) => {
      if (index < granted) resolve(this.#pass(now, share))
      else resolve({ state: this.#state(now), waitMs: Math.max(1, asked.at + refusedFor - now) })
    })
    // Who came meanwhile has what came for the lease, unless the answer took so long that it is worth nothing any more.
    this.#dropExpired(now)
    for (const resolve of this.#waiting.splice(0, this.#tokens)) {
      this.#tokens -= 1
      this.#used += 1
      resolve(this.#pass(now, share))
    }
  }

  /** Nothing was answered, and nothing was taken: the same is asked once more. What was given back is lost. */
  askAgain(): void {
    this.#asked = null
  }

  /**
   * The store is down: what is leased has no value any more, and those who wait are answered by the own bucket.
   */
  lose(now: number, share: number): void {
    this.#asked = null
    this.#tokens = 0
    this.#used = 0
    this.#epoch = 0
    this.#refusedUntil = 0
    for (const resolve of this.#waiting.splice(0)) resolve(this.takeOwn(now, share))
  }

  #pass(now: number, share: number): Verdict {
    this.#roll(now)
    this.#passed += 1
    this.#noteOwn(now, share)
    return { state: this.#state(now), waitMs: 0 }
  }

  /** What passes is taken from the own bucket, too: a caller who has used up the shared one finds no second burst. */
  #noteOwn(now: number, share: number): void {
    const step = this.#intervalMs * share
    this.#ownFullAt = Math.min(Math.max(this.#ownFullAt, now) + step, now + this.#ownBurst(share) * step)
  }

  #ownBurst(share: number): number {
    return Math.max(1, Math.floor(this.#burst / share))
  }

  #state(now: number): RateState {
    const missing = Math.max(0, this.#fullAt - now) / this.#intervalMs - this.#tokens
    return {
      limit: this.#perMinute,
      remaining: Math.min(this.#burst, Math.max(0, Math.floor(this.#burst - missing + TOLERANCE))),
      resetMs: Math.max(0, Math.ceil(missing * this.#intervalMs - TOLERANCE)),
    }
  }

  /** As many tokens as passed within a second lately; none for a caller who comes now and then. */
  #wish(now: number): number {
    this.#roll(now)
    const lately = Math.max(this.#passedBefore, this.#passed + this.#waiting.length - 1)
    return Math.min(lately, Math.floor(this.#burst / HELD_PART))
  }

  #roll(now: number): void {
    const elapsed = now - this.#secondAt
    if (elapsed >= 0 && elapsed < SECOND_MS) return
    this.#passedBefore = elapsed >= 0 && elapsed < 2 * SECOND_MS ? this.#passed : 0
    this.#passed = 0
    this.#secondAt = now
  }

  #dropExpired(now: number): void {
    if (now < this.#validUntil) return
    // An answer that is on its way counts what was held as run out, too, and what it brings by its own epoch.
    this.#tokens = 0
    this.#used = this.#asked?.used ?? 0
  }
}
