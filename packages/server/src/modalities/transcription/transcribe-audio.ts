/** One audio file that is written down, answered whole. */
import { type Paid, type Priced, wholeAnswer, type WholeAnswer } from '../../pipeline/paid-work.ts'
import { runPaid } from '../../pipeline/run-paid.ts'
import { chargeSeconds } from '../../pricing/charge-media.ts'
import type { UpstreamTranscript } from '../../upstreams/transcription-upstream.ts'
import type { TranscriptionCall } from './parse-transcription.ts'
import { renderTranscript, transcriptType } from './render-transcript.ts'
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

export interface TranscribedAudio extends WholeAnswer {
  readonly contentType: string
}

/** @throws {UpstreamFailure} for a transcript without a word that is no silence. */
function price(
  { target, hold }: Paid<AudioTarget>,
  call: TranscriptionCall,
  seconds: AudioSeconds,
  transcript: UpstreamTranscript,
): Priced<TranscribedAudio> {
  if (transcript.text.trim() === '' && !isSilence(transcript)) throw emptyTranscript(target, transcript)
  hold.bill.deliver(transcript)
  return {
    ...{ charge: chargeSeconds(target.prices, seconds.chargedSeconds), estimated: true, tokens: {} },
    ...{ status: 'ok', errorCode: null, failure: null, generationId: transcript.generationId },
    render: (charged) => ({
      contentType: transcriptType(call.format),
      body: renderTranscript(transcript, call.format, factsOf(seconds, call.task, charged)),
      charged,
    }),
  }
}

/**
 * Writes down one audio file and charges it: a flat estimate, final before the upstream was asked. The charge is durable
 * before the answer is returned. The upstream's work runs to its end even when the caller has gone.
 *
 * Source: spec 2.7 and billing rule 4; decision 0025 (speech and transcription).
 *
 * @throws {ServiceError} for everything that fails; the request is then free.
 */
export function transcribeAudio(deps: TranscribeDeps, task: TranscriptionTask): Promise<TranscribedAudio> {
  const work = transcriptionWork(deps, task, (paid, seconds) => ({
    sink: wholeAnswer<TranscribedAudio>(),
    onEvent: null,
    price: async (transcript) => price(paid, task.call, seconds, transcript),
  }))
  return runPaid(deps, task, work)
}
