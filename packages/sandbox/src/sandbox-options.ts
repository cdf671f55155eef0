import type { MediaPrices, TokenUsage } from './prices.ts'
import type { PlayedModel } from './model-list.ts'

/** Milliseconds that answers take. */
export interface SandboxPace {
  /** Until the first token; an answer that is not streamed takes only this. */
  readonly firstTokenMs: number
  /** Between two tokens of a stream. */
  readonly tokenMs: number
  /** The same for the slow model. */
  readonly slowFirstTokenMs: number
  readonly slowTokenMs: number
  /** From the end of an answer until the look-up knows a cost that was not reported. */
  readonly lateCostMs: number
  /** Before and after the work of a video. */
  readonly jobMs: number
}

/** As fast as a quick model. */
export const believablePace: SandboxPace = {
  firstTokenMs: 120,
  tokenMs: 20,
  slowFirstTokenMs: 4_000,
  slowTokenMs: 400,
  lateCostMs: 500,
  jobMs: 1_000,
}

/** Without any wait. */
export const noPace: SandboxPace = {
  firstTokenMs: 0,
  tokenMs: 0,
  slowFirstTokenMs: 0,
  slowTokenMs: 0,
  lateCostMs: 0,
  jobMs: 0,
}

/** What time it is, for the times in answers. */
export interface SandboxClock {
  /** Milliseconds since the epoch, UTC. */
  now(): number
}

export interface SandboxOptions {
  /** The bearer key that requests must carry. */
  readonly key: string
  /** Models that are played and listed; called for each request, so it should return the same list until it changes. */
  readonly models: () => readonly PlayedModel[]
  /** USD as decimal text to report for a usage; null where it is unknown. Scripted models have prices of their own. */
  readonly costOf: (model: string, usage: TokenUsage) => string | null
  readonly clock?: SandboxClock
  readonly pace?: SandboxPace
  /** Changes every answer; equal seeds give equal answers. */
  readonly seed?: string
  /** Where what was learnt is kept between starts; null keeps nothing. */
  readonly cacheFolder?: string | null
  /** Path of the system's recogniser of speech; null takes the one that comes as a package. */
  readonly recogniser?: string | null
  /** Which media can be made; null finds out by the packages that are there. */
  readonly abilities?: ReadonlySet<MediaPrices['type']> | null
}

/** Fills in what was left out. */
export function completeOptions(options: SandboxOptions): Required<SandboxOptions> {
  return {
    clock: { now: () => Date.now() },
    pace: believablePace,
    seed: 'svc',
    cacheFolder: null,
    recogniser: null,
    abilities: null,
    ...options,
  }
}
