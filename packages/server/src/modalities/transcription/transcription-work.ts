/** What every transcription is to the pipeline, whole or streamed: its model, its length and its charge. */
import { BYTES_PER_SECOND_LEAST } from '../../platform/audio/codecs/packet-clock.ts'
import type { Charged } from '../../money/billing/settlement.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { findMediaModel } from '../../pipeline/find-model.ts'
import { measuringIsBusy } from '../../pipeline/measuring-is-busy.ts'
import type { ListeningDeps, Paid, PaidDeps, PaidRun, PaidTask, PaidWork, Sink } from '../../pipeline/paid-work.ts'
import type { TranscriptionPrices } from '../../pricing/media-price.ts'
import type { SelectTarget } from '../../pipeline/routing/list-targets.ts'
import type { Target } from '../../pipeline/routing/target.ts'
import type { SpooledFile } from '../../platform/spool/spooled-file.ts'
import type {
  TranscriptEvent,
  TranscriptionUpstream,
  UpstreamTranscript,
  UpstreamTranscriptionRequest,
} from '../../upstreams/transcription-upstream.ts'
import { upstreamFailure } from '../../upstreams/upstream-failure.ts'
import type { TranscriptionCall } from './parse-transcription.ts'
import { renderSvc } from '../../pipeline/render-charge.ts'
import { boundAudio, wholeSeconds } from './audio-bound.ts'
import { sourceFormats, type TranscriptFacts } from './render-transcript.ts'

export type TranscribeDeps = PaidDeps & ListeningDeps

/** One transcription request of one caller. */
export type TranscriptionTask = PaidTask<TranscriptionCall>

/** One upstream that may write an audio file down. */
export interface AudioTarget extends Target {
  readonly port: TranscriptionUpstream
  readonly prices: TranscriptionPrices
}

/** How long an audio file is. */
export interface AudioSeconds {
  /** As it was measured; null where its bytes had to decide. */
  readonly duration: number | null
  /** Begun seconds are charged whole. */
  readonly chargedSeconds: number
}

/** The targets of a transcription: those that do what is asked, and give what the format is made from. */
export function audioTarget(call: Pick<TranscriptionCall, 'task' | 'format'>): SelectTarget<AudioTarget> {
  return ({ upstream, upstreamModel, media }) => {
    if (media?.type !== 'transcription') return null
    const { transcription: port } = upstream
    if (port === null || !port.tasks.includes(call.task)) {
      const task = call.task === 'translate' ? 'translation' : 'transcription'
      throw new ServiceError('invalid_value', `This model does not support ${task}.`, { param: 'model' })
    }
    if (port.formats.includes(sourceFormats[call.format]))
      return { upstream, upstreamModel, port, prices: media.prices }
    throw new ServiceError('unsupported_format', `This model does not give '${call.format}'.`, {
      param: 'response_format',
    })
  }
}

/**
 * Seconds of an audio file; null where its bytes have to decide.
 *
 * @throws {ServiceError} 400 for an audio file that two readers could hear differently, 503 while too many are measured.
 */
async function measure(deps: TranscribeDeps, content: SpooledFile): Promise<number | null> {
  const length = await deps.measureAudio(content)
  switch (length.kind) {
    case 'measured':
      return length.seconds
    case 'unknown':
      return null
    case 'refused':
      throw new ServiceError('unsupported_format', `This audio file cannot be measured. ${length.reason}`, {
        param: 'file',
        shouldRetry: false,
      })
    case 'busy':
      throw measuringIsBusy()
  }
}

/** @throws {ServiceError} as `measure`. */
async function secondsOf(deps: TranscribeDeps, content: SpooledFile): Promise<AudioSeconds> {
  const duration = await measure(deps, content)
  const seconds = duration ?? content.byteLength / BYTES_PER_SECOND_LEAST
  return { duration, chargedSeconds: wholeSeconds(seconds) }
}

/** What differs between an answer that is whole and a stream. */
export interface TranscriptionRun<Reply, End> extends Pick<
  PaidRun<AudioTarget, UpstreamTranscript, Reply, End>,
  'price'
> {
  readonly sink: Sink<Reply, End>
  /** Null where only the whole is wanted. */
  readonly onEvent: ((event: TranscriptEvent) => void) | null
}

/** Makes the pipeline's work of a transcription. */
export function transcriptionWork<Reply, End>(
  deps: TranscribeDeps,
  { call, caller }: TranscriptionTask,
  begin: (paid: Paid<AudioTarget>, seconds: AudioSeconds) => TranscriptionRun<Reply, End>,
): PaidWork<AudioTarget, UpstreamTranscript, Reply, End> {
  let seconds: AudioSeconds = { duration: null, chargedSeconds: 0 }
  return {
    type: 'transcription',
    model: call.model,
    stream: call.stream,
    sendsBeforeSettlement: call.stream,
    findModel: () => findMediaModel(deps, caller, { id: call.model, type: 'transcription' }),
    selectTarget: () => audioTarget(call),
    bound: async ({ targets }) => {
      seconds = await secondsOf(deps, call.file.content)
      const lists = targets.map(({ prices }) => prices)
      return boundAudio(lists, seconds.chargedSeconds)
    },
    begin: (paid) => {
      const { sink, onEvent, price } = begin(paid, seconds)
      return {
        sink,
        price,
        ask: (target) => target.port.transcribe(upstreamRequest(paid, target, call), onEvent),
        reportsOf: (transcript) => [transcript],
        failureOf: ({ cut }) => cut,
      }
    },
  }
}

/** What is shown beside a transcript that costs so much. */
export function factsOf(
  { duration, chargedSeconds }: AudioSeconds,
  task: TranscriptFacts['task'],
  charged: Charged,
): TranscriptFacts {
  return { task, duration, chargedSeconds, svc: renderSvc(charged, true, null) }
}

/** Why a transcript without a word is none. */
export function emptyTranscript({ upstream }: Target, { generationId }: UpstreamTranscript): Error {
  return upstreamFailure('empty', { upstream: upstream.name, generationId })
}

function upstreamRequest(
  { model, hold }: Paid<AudioTarget>,
  { upstreamModel }: AudioTarget,
  call: TranscriptionCall,
): UpstreamTranscriptionRequest {
  const { filename, contentType, content } = call.file
  return {
    task: call.task,
    upstreamModel,
    format: sourceFormats[call.format],
    file: { filename, contentType, byteLength: content.byteLength, stream: () => content.stream() },
    fields: call.passed,
    confidential: model.confidential,
    signal: hold.ended.signal,
  }
}

/**
 * Says whether a transcript without a word is an answer: the model listened, and heard no speech. A bare empty text
 * says nothing of the kind. Source: decision 0025.
 */
export function isSilence({ value, seconds, cost }: UpstreamTranscript): boolean {
  return seconds !== null || cost !== null || Array.isArray(value['segments']) || typeof value['usage'] === 'object'
}
