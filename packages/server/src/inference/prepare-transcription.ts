/** What every transcription needs before an upstream is asked: its model, its length, and its hold. */
import { nanocreditsOf } from '@svc/contract'
import { type BillingDeps, type OpenHold, placeHold } from '../billing/open-hold.ts'
import type { SoundLength } from '../audio/sound-length.ts'
import { BYTES_PER_SECOND_UNKNOWN } from '../audio/codecs/packet-clock.ts'
import type { Model } from '../catalog/model.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Caller } from '../keys/caller.ts'
import { chargeMedia } from '../pricing/charge-media.ts'
import type { TranscriptionPrices } from '../pricing/media-price.ts'
import type { ChatCharge } from '../pricing/price.ts'
import { chargeForCost } from '../pricing/usd.ts'
import { type AttemptDeps, attemptTargets } from '../routing/attempt-targets.ts'
import { type AsTarget, listTargets, type TargetDeps } from '../routing/list-targets.ts'
import type { Target } from '../routing/target.ts'
import type { SpooledFile } from '../spool/spooled-file.ts'
import type {
  TranscriptEvent,
  TranscriptionUpstream,
  UpstreamTranscript,
  UpstreamTranscriptionRequest,
} from '../upstream/transcription-upstream.ts'
import { findMediaModel, type FindModelDeps } from './find-model.ts'
import type { LateCostDeps } from './late-cost.ts'
import type { TranscriptionCall } from './parse-transcription.ts'
import { sourceFormats } from './render-transcript.ts'

export interface TranscribeDeps extends BillingDeps, FindModelDeps, LateCostDeps, TargetDeps, AttemptDeps {
  /** Measures how long a sound lasts. */
  readonly measureSound: (file: SpooledFile) => Promise<SoundLength>
}

/** One transcription request of one caller. */
export interface TranscriptionTask {
  readonly caller: Caller
  readonly call: TranscriptionCall
  /** UUIDv7; also the id of the hold and of the usage record. */
  readonly requestId: string
}

/** One upstream that may write a sound down. */
export interface SoundTarget extends Target {
  readonly port: TranscriptionUpstream
  readonly prices: TranscriptionPrices
}

export interface PreparedTranscription {
  readonly model: Model
  /** Every upstream that may come to serve it; the hold covers the dearest. */
  readonly targets: readonly SoundTarget[]
  /** Who serves it: the first target, until an attempt is repeated elsewhere. */
  target: SoundTarget
  /** As it was measured; null where its bytes had to tell. */
  readonly duration: number | null
  /** Begun seconds are charged whole. */
  readonly chargedSeconds: number
  readonly hold: OpenHold
}

/** What sums of lengths of frames may be too long by: no second begins with it. */
const ROUNDING_SECONDS = 0.000_5

/**
 * The estimate of a request's charge, final before the upstream that serves it is asked. Source: spec 3, billing rule
 * 4.
 */
export function chargeSeconds({ perSecond }: TranscriptionPrices, seconds: number): ChatCharge {
  const lines = [{ unit: 'seconds', quantity: seconds, perUnit: perSecond }] as const
  return chargeMedia({ lines, reportedCost: null, estimated: true })
}

/** The targets of a transcription: those that do what is asked, and give what the format is made from. */
function asTarget(call: TranscriptionCall): AsTarget<SoundTarget> {
  return ({ upstream, upstreamModel, media }) => {
    if (media?.type !== 'transcription') return null
    const { transcription: port } = upstream
    if (port === null || !port.tasks.includes(call.task)) {
      const does = call.task === 'translate' ? 'translate sound' : 'transcribe sound'
      throw new ServiceError('invalid_value', `The upstream of this model does not ${does}.`, { param: 'model' })
    }
    if (port.formats.includes(sourceFormats[call.format]))
      return { upstream, upstreamModel, port, prices: media.prices }
    throw new ServiceError('unsupported_format', `This model does not give '${call.format}'.`, {
      param: 'response_format',
    })
  }
}

function dearest(targets: readonly [SoundTarget, ...SoundTarget[]]): TranscriptionPrices {
  const prices = targets.map((target) => target.prices)
  return prices.reduce((most, each) => (each.perSecond > most.perSecond ? each : most))
}

/**
 * Seconds of a sound; null where its bytes have to tell.
 *
 * @throws {ServiceError} 400 for a sound that two readers could hear differently, 503 while too many are measured.
 */
async function measure(deps: TranscribeDeps, content: SpooledFile): Promise<number | null> {
  const length = await deps.measureSound(content)
  switch (length.kind) {
    case 'measured':
      return length.seconds
    case 'unknown':
      return null
    case 'refused':
      throw new ServiceError('unsupported_format', `This sound cannot be measured. ${length.reason}`, {
        param: 'file',
        shouldRetry: false,
      })
    case 'busy':
      throw new ServiceError('server_is_overloaded', 'The gateway measures too many sounds at the moment.', {
        retryAfterSeconds: 1,
      })
  }
}

/**
 * Resolves the model, measures the sound, and holds the charge.
 *
 * @throws {ServiceError} 404 unknown model, 403 model not allowed, 400 what no upstream can do or nobody can measure,
 *   402 naming what is needed, 503 while every upstream for it is left alone.
 */
export async function prepareTranscription(
  deps: TranscribeDeps,
  { caller, call, requestId }: TranscriptionTask,
): Promise<PreparedTranscription> {
  const model = findMediaModel(deps, caller, { id: call.model, type: 'transcription' })
  const targets = listTargets(deps, model, asTarget(call))
  const { content } = call.file
  const duration = await measure(deps, content)
  const seconds = duration ?? content.byteLength / BYTES_PER_SECOND_UNKNOWN
  const chargedSeconds = Math.max(1, Math.ceil(seconds - ROUNDING_SECONDS))
  const hold = await placeHold(deps, {
    requestId,
    caller,
    type: 'transcription',
    model: call.model,
    stream: call.stream,
    fixed: nanocreditsOf(0n),
    perUnit: chargeForCost(dearest(targets).perSecond),
    units: chargedSeconds,
    policy: 'exact',
    firstUnits: chargedSeconds,
    flush: call.stream ? 'at_once' : 'with_end',
  })
  return { model, targets, target: targets[0], duration, chargedSeconds, hold }
}

/** What the sound costs at the upstream that serves the request. */
export function chargeOf({ target, chargedSeconds }: PreparedTranscription): ChatCharge {
  return chargeSeconds(target.prices, chargedSeconds)
}

/** Asks for the transcript, at one upstream after the other as far as nothing can have been billed. */
export function askForTranscript(
  deps: TranscribeDeps,
  prepared: PreparedTranscription,
  call: TranscriptionCall,
  delivery: TranscriptWatcher,
): Promise<UpstreamTranscript> {
  const { signal } = prepared.hold.ended
  return attemptTargets(deps, prepared, {
    run: (target) => target.port.transcribe(upstreamRequest(prepared, target, call), delivery.onEvent),
    reportsOf: (transcript) => [transcript],
    failureOf: ({ cut }) => cut,
    isEnded: () => signal.aborted,
    mayRepeat: () => !signal.aborted && delivery.mayRepeat(),
  })
}

/** Whoever waits for a transcript. */
export interface TranscriptWatcher {
  /** Null where only the whole is wanted. */
  readonly onEvent: ((event: TranscriptEvent) => void) | null
  /** Whether nothing was delivered and somebody still waits, so that another upstream can begin anew. */
  readonly mayRepeat: () => boolean
}

function upstreamRequest(
  { model, hold }: PreparedTranscription,
  { upstreamModel }: SoundTarget,
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
 * Says whether a transcript without a word is an answer: somebody listened, and heard nobody speak. A bare empty text
 * says nothing of the kind. Source: decision 0025.
 */
export function isSilence({ value, seconds, cost }: UpstreamTranscript): boolean {
  return seconds !== null || cost !== null || Array.isArray(value['segments']) || typeof value['usage'] === 'object'
}
