/**
 * Calls to an upstream that has one key or several, each made in its turn and with the key that is best for it.
 * Source: decision 0142 (several keys).
 */
import { InvariantError } from '../platform/errors/invariant-error.ts'
import type { UpstreamOperation } from '../telemetry/metrics/upstream-operations.ts'
import type { UpstreamCall, UpstreamObserver } from './call-observer.ts'
import type { CallSlots } from './call-slots.ts'
import { jobAtKey, jobOfKey } from './key-of-job.ts'
import { isAboutKey, type KeyRing } from './key-ring.ts'
import type { Upstream } from './upstream.ts'
import { ASKED, untilAnswer, WatchedCall } from './watched-call.ts'

/** An upstream as it is opened: once for each of our keys. */
export interface KeyedUpstream {
  readonly opened: readonly [Upstream, ...Upstream[]]
  /** Chooses among them; null where there is one. */
  readonly ring: KeyRing | null
  /** Gives calls that are work their turn; absent or null where all are made at once. */
  readonly slots?: CallSlots | null
}

/** How one call is made. */
interface Made<Answer> {
  /** Makes it with the upstream as it was opened for the chosen key. */
  readonly make: (upstream: Upstream, call: WatchedCall) => Promise<Answer>
  /** Ends its request: then no other key is tried, and no turn is waited for. Null for a call that is no work. */
  readonly signal: AbortSignal | null
}

/** Makes calls with the key that is best for each. */
export class KeyedCalls {
  readonly #upstream: KeyedUpstream
  readonly #observers: readonly UpstreamObserver[]

  constructor(upstream: KeyedUpstream, observers: readonly UpstreamObserver[]) {
    this.#upstream = upstream
    this.#observers = observers
  }

  /** Makes a call, and again with another key where one is refused and nothing was begun. */
  async make<Answer>(call: UpstreamCall, { make, signal }: Made<Answer>): Promise<Answer> {
    const { ring } = this.#upstream
    if (ring === null) return this.#makeInTurn(0, call, { make, signal })
    const tried = new Set<number>()
    for (;;) {
      const key = ring.next(tried)
      try {
        return await this.#makeInTurn(key, call, { make, signal })
      } catch (error) {
        tried.add(key)
        const isRefused = isAboutKey(error) && error.isRepeatable
        if (!isRefused || signal?.aborted === true || !ring.hasSpare(tried)) throw error
      }
    }
  }

  /** Makes a call with one key once it has its turn, which ends with the call: that of a stream with the stream. */
  #makeInTurn<Answer>(key: number, call: UpstreamCall, { make, signal }: Made<Answer>): Promise<Answer> {
    const { slots } = this.#upstream
    if (slots == null || signal === null) return this.makeWith(key, call, make)
    return slots.take(signal).then((ended) => this.makeWith(key, call, make, [() => ({ ended })]))
  }

  /** Makes a call with one key and no other. @param more observers of this call alone. */
  makeWith<Answer>(
    key: number,
    call: UpstreamCall,
    make: Made<Answer>['make'],
    more: readonly UpstreamObserver[] = [],
  ): Promise<Answer> {
    const { opened, ring } = this.#upstream
    const upstream = opened[key] ?? opened[0]
    if (ring === null) return make(upstream, new WatchedCall([...this.#observers, ...more], call))
    const observers = [...this.#observers, ...more, () => ring.observe(key)]
    return make(upstream, new WatchedCall(observers, { ...call, key: ring.nameOf(key) }))
  }

  /** Makes a call about a video with the key that has submitted it. */
  ofJob<Answer>(
    operation: UpstreamOperation,
    jobId: string,
    make: (videos: NonNullable<Upstream['videos']>, job: string) => Promise<Answer>,
  ): Promise<Answer> {
    const { ring } = this.#upstream
    const { job, key } = jobAtKey(jobId)
    const call = { operation, job, isStream: false }
    const index = key === null ? null : (ring?.find(key) ?? null)
    return this.makeWith(index ?? 0, call, (upstream, watched) =>
      untilAnswer(watched, () => make(portOf(upstream.videos), job), ASKED),
    )
  }

  /** Submits a video. The id of its job says with which key, where there are several. */
  submitVideo(submission: Parameters<NonNullable<Upstream['videos']>['submit']>[0]) {
    const { ring } = this.#upstream
    const call = { operation: 'video_submit', model: submission.upstreamModel, isStream: false } as const
    return this.make(call, {
      make: async (upstream, watched) => {
        const submitted = await untilAnswer(watched, () => portOf(upstream.videos).submit(submission), ASKED)
        return ring === null || watched.key === null
          ? submitted
          : { ...submitted, jobId: jobOfKey(submitted.jobId, watched.key) }
      },
      signal: submission.signal,
    })
  }

  /** Asks the key that has made a generation; where that is not remembered, each until one knows it. */
  async findCost(generationId: string): ReturnType<Upstream['findCost']> {
    const { opened, ring } = this.#upstream
    // A video is looked up by its job.
    const { job, key: ofJob } = jobAtKey(generationId)
    const ask = (key: number) =>
      this.makeWith(key, { operation: 'find_cost', isStream: false }, (upstream, call) =>
        untilAnswer(call, () => upstream.findCost(job), ASKED),
      )
    const maker = ring === null ? 0 : ofJob === null ? ring.makerOf(job) : ring.find(ofJob)
    if (maker !== null) return ask(maker)
    let failure: Error | null = null
    for (const key of opened.keys()) {
      try {
        const cost = await ask(key)
        if (cost !== null) return cost
      } catch (error) {
        failure = error instanceof Error ? error : new Error('a cost cannot be looked up', { cause: error })
      }
    }
    if (failure !== null) throw failure
    return null
  }
}

/** Every opening of an upstream has the same ports. */
export function portOf<Port>(port: Port | null): Port {
  if (port === null) throw new InvariantError('An upstream lacks a port with one of its keys')
  return port
}
