/** What the bench and the load generator say to each other. */

/** What a request asks for: chat, an image, a spoken text, a transcript of ten seconds, or one of the largest file. */
export type LoadWork = 'chat' | 'image' | 'speech' | 'transcription' | 'upload'

/** Where requests go. */
export interface LoadTarget {
  readonly origin: string
  readonly path: string
  /** Raw key of the caller. */
  readonly key: string
  /** Chat where it is absent. */
  readonly work?: LoadWork
  /** What a chat calls its model, where it is not this gateway that answers. */
  readonly model?: string
  /** Sent besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Whole answers, over connections of which each has its own schedule. */
export interface WholeOrder {
  readonly kind: 'whole'
  /** Connections go round them in turn. */
  readonly targets: readonly LoadTarget[]
  readonly connections: number
  readonly seconds: number
  /** Requests a second over all connections; null for as many as go. */
  readonly rate: number | null
}

/** Streams that are read to their end, one after another on each connection. */
export interface StreamsOrder {
  readonly kind: 'streams'
  readonly targets: readonly LoadTarget[]
  readonly connections: number
  readonly seconds: number
  /** The first streams begin within so many milliseconds, evenly. */
  readonly spreadMs: number
  /** Chunks that are asked for, where fewer than the upstream has. */
  readonly chunks?: number
}

/** Streams that stay open until the next `release`. The answer comes when each has sent something. */
export interface HoldOrder {
  readonly kind: 'hold'
  readonly target: LoadTarget
  readonly streams: number
  readonly perSecond: number
}

/** Ends the streams of a `hold`. */
export interface ReleaseOrder {
  readonly kind: 'release'
}

export type LoadOrder = WholeOrder | StreamsOrder | HoldOrder | ReleaseOrder

export interface LoadResult {
  /** Answers that came whole with status 200. */
  readonly done: number
  readonly failed: number
  /** What the first failure was; null when there was none. */
  readonly failure: string | null
  readonly seconds: number
  /** CPU of the generator itself, in milliseconds. */
  readonly cpuMs: number
  /** Median and 99th percentile of the time to the end of an answer, in milliseconds; 0 without an answer. */
  readonly p50Ms: number
  readonly p99Ms: number
}
