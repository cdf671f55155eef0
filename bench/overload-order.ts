/** What row 15 and its own programs say to each other. */
import type { LoadTarget } from './load-order.ts'

export interface SlowUpstreamSettings {
  /** Requests that are worked on at a time. */
  readonly atOnce: number
  /** How long each takes, in milliseconds. */
  readonly tookMs: number
}

/** Requests that come at their times, however many wait already: each takes a connection that is free, or a new one. */
export interface ArrivalsOrder {
  readonly target: LoadTarget
  readonly rate: number
  readonly seconds: number
  /** What came in the first seconds is not counted: queues are filled by then. */
  readonly unseenSeconds: number
}

/** What became of those that came while it was counted. Times are in milliseconds, 0 where there was none. */
export interface ArrivalsResult {
  readonly served: number
  /** Answers that came within the seconds that are counted, by the second. */
  readonly servedPerSecond: number
  readonly servedP50Ms: number
  readonly servedP99Ms: number
  /** Answers of 503 with `retry-after`. */
  readonly refused: number
  readonly refusedP50Ms: number
  readonly refusedP99Ms: number
  readonly refusedMaxMs: number
  /** Everything else, and the first of it. */
  readonly failed: number
  readonly failure: string | null
  /** How busy the generator was, from 0 to 1. */
  readonly generatorBusy: number
}
