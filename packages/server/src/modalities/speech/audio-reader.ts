import type { Nanocredits } from '@svc/contract'
import type { Charged } from '../../money/billing/settlement.ts'

/** Where the audio of one answer goes: the edge's side, seen from the use case. */
export interface AudioWriter {
  /** Sends bytes; resolves when the reader takes more, or has gone. */
  write(bytes: Buffer): Promise<void>
  /** Sends the last bytes and closes. Nothing follows it. */
  finish(bytes: Buffer, charged: Charged): void
  /** Ends an answer that is not whole, so that the caller sees that. */
  fail(error: unknown): void
}

/** A caller who waits for audio. */
export interface AudioReader {
  /** Answers 200; called at most once, and not when the request fails before any audio. */
  open(answer: { readonly contentType: string; readonly charge: Nanocredits }): AudioWriter
  /** Learns what the request was charged, once that is durable; also when the caller has gone. */
  charged(charge: Nanocredits): void
  /** Fires when the caller has gone. */
  readonly gone: AbortSignal
}
