/** One audio file that is written down, answered piece by piece. */
import { codeOf } from '../../platform/errors/code-of.ts'
import { EventSink } from '../../pipeline/event-sink.ts'
import type { StreamEnd, StreamReader } from '../../pipeline/frame-writer.ts'
import type { Paid, Priced, Sink } from '../../pipeline/paid-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import { chargeSeconds } from '../../pricing/charge-media.ts'
import { transcribedSeconds } from '../../pricing/delivered-part.ts'
import type { TranscriptEvent, UpstreamTranscript } from '../../upstreams/transcription-upstream.ts'
import type { TranscriptionCall } from './parse-transcription.ts'
import { renderDoneEvent } from './render-transcript.ts'
import { DONE_FRAME } from '../../pipeline/stream-frames.ts'
import {
  emptyTranscript,
  factsOf,
  isSilence,
  type AudioSeconds,
  type AudioTarget,
  type TranscribeDeps,
  type TranscriptionTask,
  transcriptionWork,
} from './transcription-work.ts'

/** The caller's stream; opened with the first piece. */
class TranscriptDelivery extends EventSink implements Sink<string, StreamEnd> {
  /** The whole transcript, for an upstream that sends no pieces. */
  told = ''

  // The gateway does not wait for a slow reader: a transcript is short, and its length has a limit.
  event(event: TranscriptEvent): void {
    this.open().write(`data: ${JSON.stringify(event)}\n\n`)
  }

  /** @param done the last event, as JSON text. */
  finish(done: string): StreamEnd {
    if (!this.isOpen) this.event({ type: 'transcript.text.delta', delta: this.told })
    this.open().end(`data: ${done}\n\n${DONE_FRAME}`)
    return 'whole'
  }
}

/**
 * How it ended, and what of it is charged: of a transcript that broke off the part that was delivered, unless it was we
 * who ended it.
 */
function endOf(
  { target, hold }: Paid<AudioTarget>,
  { chargedSeconds }: AudioSeconds,
  { text, cut }: UpstreamTranscript,
): Pick<Priced<string>, 'charge' | 'status' | 'errorCode' | 'failure'> {
  const charge = chargeSeconds(target.prices, chargedSeconds)
  if (cut === null) return { charge, status: 'ok', errorCode: null, failure: null }
  if (hold.ended.signal.aborted) return { charge, status: 'incomplete', errorCode: codeOf(cut), failure: cut }
  const part = chargeSeconds(target.prices, transcribedSeconds(chargedSeconds, text))
  return { charge: part, status: 'incomplete', errorCode: codeOf(cut), failure: cut }
}

/** @throws {UpstreamFailure} for a transcript without a word that is no silence. */
function price(
  paid: Paid<AudioTarget>,
  call: TranscriptionCall,
  seconds: AudioSeconds,
  { transcript, isOpen }: { readonly transcript: UpstreamTranscript; readonly isOpen: boolean },
): Priced<string> {
  const { target, hold } = paid
  const { text, cut, generationId } = transcript
  if (cut === null && text.trim() === '' && !isOpen && !isSilence(transcript)) throw emptyTranscript(target, transcript)
  hold.bill.deliver(transcript)
  return {
    ...endOf(paid, seconds, transcript),
    ...{ estimated: true, tokens: {}, generationId },
    render: (charged) => renderDoneEvent(transcript, factsOf(seconds, call.task, charged)),
  }
}

/**
 * Writes down one audio file as a stream and charges it, as `transcribeAudio` does. The charge is durable before the
 * last event is sent.
 *
 * Rejects only when nothing was sent yet; later failures end the stream with an error event.
 *
 * @throws {ServiceError} for everything that fails before the first piece; the request is then free.
 */
export function streamTranscript(
  deps: TranscribeDeps,
  task: TranscriptionTask,
  reader: StreamReader,
): Promise<StreamEnd> {
  const { call } = task
  const work = transcriptionWork(deps, task, (paid, seconds) => {
    const delivery = new TranscriptDelivery(reader)
    return {
      sink: delivery,
      onEvent: (event) => delivery.event(event),
      price: async (transcript) => {
        delivery.told = transcript.text
        return price(paid, call, seconds, { transcript, isOpen: delivery.isOpen })
      },
    }
  })
  return runPaid(deps, task, work)
}
