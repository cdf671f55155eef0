/** One sound that is written down, answered whole. */
import type { Nanocredits } from '@svc/contract'
import type { UpstreamTranscript } from '../upstream/transcription-upstream.ts'
import { upstreamFailure } from '../upstream/upstream-failure.ts'
import type { ServedBy } from './chat-charge.ts'
import { mediaSettlement } from './media-settlement.ts'
import {
  askForTranscript,
  chargeOf,
  isSilence,
  type PreparedTranscription,
  prepareTranscription,
  type TranscribeDeps,
  type TranscriptionTask,
  type TranscriptWatcher,
} from './prepare-transcription.ts'
import { renderSvc } from './render-charge.ts'
import { renderTranscript, type TranscriptFacts, transcriptType } from './render-transcript.ts'
import { settleFailed } from './settle-failed.ts'

export interface TranscribedSound {
  readonly contentType: string
  readonly body: string
  readonly charge: Nanocredits
}

/** Who served a prepared request, for its settlement. */
export function servedTranscript(prepared: PreparedTranscription, generationId: string | null): ServedBy {
  const { target } = prepared
  return { upstream: target.upstream.name, model: target, generationId }
}

/** What is shown beside a transcript that costs so much. */
export function factsOf(
  prepared: PreparedTranscription,
  task: TranscriptFacts['task'],
  charge: Nanocredits,
): TranscriptFacts {
  const { duration, chargedSeconds } = prepared
  return { task, duration, chargedSeconds, svc: renderSvc(charge, true, null) }
}

/** Why a transcript without a word is none. */
export function emptyTranscript({ target }: PreparedTranscription, { generationId }: UpstreamTranscript): Error {
  return upstreamFailure('empty', { upstream: target.upstream.name, generationId })
}

/** A whole answer: nothing leaves before its end, and it is made to the end. */
const WATCHED_BY_NOBODY: TranscriptWatcher = { onEvent: null, mayRepeat: () => true }

async function answerAndSettle(
  deps: TranscribeDeps,
  prepared: PreparedTranscription,
  { call }: TranscriptionTask,
): Promise<TranscribedSound> {
  const transcript = await askForTranscript(deps, prepared, call, WATCHED_BY_NOBODY)
  const charge = chargeOf(prepared)
  if (transcript.text.trim() === '' && !isSilence(transcript)) {
    throw emptyTranscript(prepared, transcript)
  }
  const render = (charged: Nanocredits): string =>
    renderTranscript(transcript, call.format, factsOf(prepared, call.task, charged))
  // Written before the settlement, so that an answer which cannot be written is never charged.
  const body = render(charge.charge)
  prepared.hold.bill.deliver(transcript)
  const served = servedTranscript(prepared, transcript.generationId)
  const end = { status: 'ok', errorCode: null, estimated: true } as const
  const charged = await prepared.hold.settle(mediaSettlement(charge, served, end))
  return {
    contentType: transcriptType(call.format),
    body: charged === charge.charge ? body : render(charged),
    charge: charged,
  }
}

/**
 * Writes down one sound and charges it: a flat estimate, final before the upstream was asked. The charge is durable
 * before the answer is returned. The upstream's work runs to its end even when the caller has gone.
 *
 * Source: spec 2.7 and billing rule 4; decision 0025 (speech and transcription).
 *
 * @throws {ServiceError} for everything that fails; the request is then free.
 */
export async function transcribeSound(deps: TranscribeDeps, task: TranscriptionTask): Promise<TranscribedSound> {
  const prepared = await prepareTranscription(deps, task)
  try {
    return await answerAndSettle(deps, prepared, task)
  } catch (error) {
    await settleFailed(deps, prepared, error)
    throw error
  }
}
