import type { Charged } from '../money/billing/settlement.ts'
import type { FrameWriter, StreamEnd, StreamReader } from './frame-writer.ts'
import { DONE_FRAME, renderErrorFrame } from './stream-frames.ts'

/**
 * The caller's side of an event stream: a 200 with the first piece, an error frame in place of the end. The work is
 * done to its end, also for a caller who leaves, unless a kind of stream says otherwise.
 */
export class EventSink {
  protected readonly reader: StreamReader
  #writer: FrameWriter | null = null

  constructor(reader: StreamReader) {
    this.reader = reader
  }

  get isOpen(): boolean {
    return this.#writer !== null
  }

  /** Whether nothing was delivered and the client still waits, so that another upstream may take its place. */
  get mayBeginAnew(): boolean {
    return this.#writer === null && !this.reader.gone.aborted
  }

  charged({ charge }: Charged): void {
    this.reader.charged(charge)
  }

  /** @throws the error itself while nothing was sent: then it can still be an ordinary answer. */
  fail(error: unknown): StreamEnd {
    if (this.#writer === null) throw error
    this.#writer.end(`${this.keptBack()}${renderErrorFrame(error)}${DONE_FRAME}`)
    return 'failed'
  }

  /** What was kept back for the charge, as frames: it goes out before an error, too. */
  protected keptBack(): string {
    return ''
  }

  /** Answers 200 with the first piece. */
  protected open(): FrameWriter {
    if (this.#writer !== null) return this.#writer
    this.#writer = this.reader.open()
    this.opened(this.#writer)
    return this.#writer
  }

  /** The 200 has gone out. */
  protected opened(_writer: FrameWriter): void {
    // Most streams have nothing to do then.
  }
}
