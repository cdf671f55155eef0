import type { Nanocredits } from '@svc/contract'

/** Where a stream's frames go: the edge's side of an event stream, seen from the use case. */
export interface FrameWriter {
  /**
   * Sends text.
   * @returns false when the reader is full; `onDrain` tells when it takes more. Text for a reader that has gone is
   *   dropped.
   */
  write(text: string): boolean
  /** Sends the last text and closes. Nothing follows it. */
  end(text: string): void
  onDrain(listener: () => void): void
}

/** A caller who waits for a stream. */
export interface StreamReader {
  /** Answers 200 and opens the event stream; called at most once, and not when the request fails before any content. */
  open(): FrameWriter
  /** Learns what the request was charged, once that is durable; also when the caller has gone. */
  charged(charge: Nanocredits): void
  /** Fires when the caller has gone. */
  readonly gone: AbortSignal
}

/** How a stream that has begun ended: as a whole answer, cut by its caller, or with an error frame. */
export type StreamEnd = 'whole' | 'cut' | 'failed'
