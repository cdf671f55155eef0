/** One sound that is written down, answered piece by piece. */
import type { Nanocredits } from '@svc/contract'
import { codeOf } from '../errors/code-of.ts'
import { transcribedSeconds } from '../pricing/delivered-part.ts'
import type { TranscriptEvent, UpstreamTranscript } from '../upstream/transcription-upstream.ts'
import type { FrameWriter, StreamReader } from './frame-writer.ts'
import { mediaSettlement } from './media-settlement.ts'
import {
  askForTranscript,
  chargeOf,
  chargeSeconds,
  isSilence,
  type PreparedTranscription,
  prepareTranscription,
  type TranscribeDeps,
  type TranscriptionTask,
} from './prepare-transcription.ts'
import { renderDoneEvent } from './render-transcript.ts'
import type { StreamEnd } from './stream-chat.ts'
import { settleFailed } from './settle-failed.ts'
import { DONE_FRAME, renderErrorFrame } from './stream-frames.ts'
import { emptyTranscript, factsOf, servedTranscript } from './transcribe-sound.ts'

/** The caller's stream; opened with the first piece. */
class TranscriptDelivery {
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

  // A reader who is slow is waited for by nobody: a transcript is short, and its length has a limit.
  event(event: TranscriptEvent): void {
    this.#open().write(`data: ${JSON.stringify(event)}\n\n`)
  }

  charged(charge: Nanocredits): void {
    this.#reader.charged(charge)
  }

  finish(done: string): void {
    this.#open().end(`data: ${done}\n\n${DONE_FRAME}`)
  }

  /** @throws the error itself while nothing was sent: then it can still be an ordinary answer. */
  fail(error: unknown): void {
    if (this.#writer === null) throw error
    this.#writer.end(`${renderErrorFrame(error)}${DONE_FRAME}`)
  }

  #open(): FrameWriter {
    this.#writer ??= this.#reader.open()
    return this.#writer
  }
}

/** A transcript that broke off: the part that was delivered is charged, unless it was we who ended it. */
function settleCut(prepared: PreparedTranscription, transcript: UpstreamTranscript, cut: Error): Promise<Nanocredits> {
  const { hold, target, chargedSeconds } = prepared
  hold.bill.deliver(transcript)
  const served = servedTranscript(prepared, transcript.generationId)
  if (hold.ended.signal.aborted) {
    const cancelled = { status: 'cancelled', errorCode: null, estimated: true } as const
    return hold.settle(mediaSettlement(chargeOf(prepared), served, cancelled))
  }
  const part = chargeSeconds(target.prices, transcribedSeconds(chargedSeconds, transcript.text))
  return hold.settle(mediaSettlement(part, served, { status: 'ok', errorCode: codeOf(cut), estimated: true }))
}

async function deliver(
  deps: TranscribeDeps,
  prepared: PreparedTranscription,
  { call }: TranscriptionTask,
  delivery: TranscriptDelivery,
): Promise<void> {
  const transcript = await askForTranscript(deps, prepared, call, {
    onEvent: (event) => delivery.event(event),
    mayRepeat: () => delivery.mayBeginAnew,
  })
  if (transcript.cut !== null) {
    delivery.charged(await settleCut(prepared, transcript, transcript.cut))
    throw transcript.cut
  }
  if (transcript.text.trim() === '' && !delivery.isOpen && !isSilence(transcript)) {
    throw emptyTranscript(prepared, transcript)
  }
  const served = servedTranscript(prepared, transcript.generationId)
  const end = { status: 'ok', errorCode: null, estimated: true } as const
  prepared.hold.bill.deliver(transcript)
  const charged = await prepared.hold.settle(mediaSettlement(chargeOf(prepared), served, end))
  delivery.charged(charged)
  // An upstream that sends no pieces has told it all in one.
  if (!delivery.isOpen) delivery.event({ type: 'transcript.text.delta', delta: transcript.text })
  delivery.finish(renderDoneEvent(transcript, factsOf(prepared, call.task, charged)))
}

/**
 * Writes down one sound as a stream and charges it, as `transcribeSound` does. The charge is durable before the last
 * event is sent.
 *
 * Rejects only when nothing was sent yet; later failures end the stream with an error event.
 *
 * @throws {ServiceError} for everything that fails before the first piece; the request is then free.
 */
export async function streamTranscript(
  deps: TranscribeDeps,
  task: TranscriptionTask,
  reader: StreamReader,
): Promise<StreamEnd> {
  const prepared = await prepareTranscription(deps, task)
  const delivery = new TranscriptDelivery(reader)
  try {
    await deliver(deps, prepared, task, delivery)
    return 'whole'
  } catch (error) {
    // A settlement that could not be written stays with the hold of an answer that was delivered: it is written later.
    const isDelivered = delivery.isOpen && prepared.hold.unwritten !== null
    if (!isDelivered) await settleFailed(deps, prepared, error)
    delivery.fail(error)
    return 'failed'
  }
}
