import type { Charged } from '../money/billing/settlement.ts'
import type { FrameWriter, StreamEnd, StreamReader } from './frame-writer.ts'
import { DONE_FRAME, renderErrorFrame } from './stream-frames.ts'

/** The caller's side of an event stream whose work is done to its end, also for a caller who leaves. */
export class EventSink {
  readonly isForsaken = false
  readonly #reader: StreamReader
  #writer: FrameWriter | null = null

  constructor(reader: StreamReader) {
    this.#reader = reader
  }

  get isOpen(): boolean {
    return this.#writer !== null
  }

  /** Whether nothing was delivered and somebody still waits, so that another upstream may take its place. */
  get mayBeginAnew(): boolean {
    return this.#writer === null && !this.#reader.gone.aborted
  }

  charged({ charge }: Charged): void {
    this.#reader.charged(charge)
  }

  /** @throws the error itself while nothing was sent: then it can still be an ordinary answer. */
  fail(error: unknown): StreamEnd {
    if (this.#writer === null) throw error
    this.#writer.end(`${renderErrorFrame(error)}${DONE_FRAME}`)
    return 'failed'
  }

  /** Answers 200 with the first piece. */
  protected open(): FrameWriter {
    return (this.#writer ??= this.#reader.open())
  }
}
