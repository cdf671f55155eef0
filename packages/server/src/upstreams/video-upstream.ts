/**
 * The port to an upstream that makes videos. A video is a job: it is submitted, polled until there is a verdict,
 * and then downloaded. Every failure leaves an adapter as a `ServiceError` whose text is safe to show; a failure to ask
 * is never a verdict about the job.
 */
import type { Readable } from 'node:stream'
import type { AttoUsd } from '../pricing/price.ts'

/**
 * An image, an audio file or a video that the model is given, as its address: `https:` or `data:`. Never fetched by us.
 */
export interface VideoReference {
  readonly type: 'image_url' | 'audio_url' | 'video_url'
  readonly url: string
}

/** An image that the video begins or ends with. */
export interface VideoFrame {
  readonly url: string
  readonly place: 'first_frame' | 'last_frame'
}

/** A file that came with the request. */
export interface VideoFile {
  readonly name: string
  readonly contentType: string
  readonly bytes: Buffer
}

/** What is asked for. All that decides the price is explicit. */
export interface VideoSubmission {
  /** The id that the upstream knows. */
  readonly upstreamModel: string
  /** Null where images alone say what is wanted. */
  readonly prompt: string | null
  readonly seconds: number
  /** Such as `720p`; null where the list names none. */
  readonly resolution: string | null
  /** Such as `1280x720`; null where neither the request nor the resolution tell. */
  readonly size: string | null
  /** Whether the request itself gave the size. */
  readonly isSizeAsked: boolean
  /** Such as `16:9`. */
  readonly aspectRatio: string | null
  /** Null leaves the upstream's own default. */
  readonly hasAudio: boolean | null
  readonly seed: number | null
  readonly frames: readonly VideoFrame[]
  readonly references: readonly VideoReference[]
  readonly file: VideoFile | null
  readonly signal: AbortSignal
}

export interface SubmittedVideo {
  /** The upstream's own id of the job. */
  readonly jobId: string
}

/** Why there will be no video. */
export type VideoFailure = 'failed' | 'content_policy' | 'cancelled' | 'expired' | 'empty'

/** What the upstream says of a job. */
export type VideoReport =
  | { readonly kind: 'running'; readonly state: 'queued' | 'in_progress'; readonly progress: number | null }
  | {
      readonly kind: 'completed'
      /** How many files it has made; at least one. */
      readonly outputs: number
      /** Exact; null where it does not say. */
      readonly cost: AttoUsd | null
    }
  /** A cost of something that failed is ours to bear. */
  | { readonly kind: 'failed'; readonly reason: VideoFailure; readonly cost: AttoUsd | null }
  /** The upstream knows no such job (any more, or not yet). */
  | { readonly kind: 'unknown' }

/** Which part of a file is wanted; both ends belong to it. */
export interface WantedRange {
  readonly start: number
  readonly end: number
}

/** Which file of a job is wanted. */
export interface WantedOutput {
  /** From 0. */
  readonly index: number
  /** Null for the whole. */
  readonly range: WantedRange | null
  /** Stops opening and reading. */
  readonly signal?: AbortSignal
}

/** A file, or a part of it, that is being read from an upstream. */
export interface VideoContent {
  readonly contentType: string
  /** Bytes that `body` has; null where the upstream does not say. */
  readonly length: number | null
  /** What part of the file `body` is; null for the whole. `total` null where it is unknown. */
  readonly part: { readonly start: number; readonly end: number; readonly total: number | null } | null
  /** To be read to its end or destroyed. Waits while it is not read. */
  readonly body: Readable
}

export type OpenedContent =
  | { readonly kind: 'open'; readonly content: VideoContent }
  /** The upstream no longer has it. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unsatisfiable'; readonly total: number | null }

export interface VideoUpstream {
  /** The configured name, for records and metrics. */
  readonly name: string
  /** @throws {ServiceError} when the upstream refuses, fails, or is silent for too long. */
  submit(submission: VideoSubmission): Promise<SubmittedVideo>
  /** @throws {ServiceError} when the upstream cannot be asked, or answers nonsense: no verdict. */
  report(jobId: string): Promise<VideoReport>
  /**
   * Asks the upstream to give a running job up.
   * @returns true only where it has confirmed that.
   * @throws {ServiceError} when it cannot be asked.
   */
  cancel(jobId: string): Promise<boolean>
  /**
   * Opens a file of a completed job for reading. An upstream may ignore the range: `part` is null then.
   * @throws {ServiceError} when it cannot be opened now.
   */
  open(jobId: string, output: WantedOutput): Promise<OpenedContent>
}
