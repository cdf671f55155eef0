/** What every transcription needs before an upstream is asked: its model, its length, and its hold. */
import { nanocreditsOf } from '@svc/contract'
import { type BillingDeps, type OpenHold, placeHold } from '../billing/open-hold.ts'
import type { Model } from '../catalog/model.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Caller } from '../keys/caller.ts'
import { chargeMedia } from '../pricing/charge-media.ts'
import type { TranscriptionPrices } from '../pricing/media-price.ts'
import type { ChatCharge } from '../pricing/price.ts'
import { chargeForCost } from '../pricing/usd.ts'
import type { SpooledFile } from '../spool/spooled-file.ts'
import type {
  TranscriptionUpstream,
  UpstreamTranscript,
  UpstreamTranscriptionRequest,
} from '../upstream/transcription-upstream.ts'
import { findMediaModel, type FindModelDeps } from './find-model.ts'
import type { TranscriptionCall } from './parse-transcription.ts'
import { sourceFormats } from './render-transcript.ts'

export interface TranscribeDeps extends BillingDeps, FindModelDeps {
  /** The upstream that serves a model; its port is null where it transcribes nothing. */
  readonly upstreamOf: (model: Model) => { readonly name: string; readonly transcription: TranscriptionUpstream | null }
  /** Measures how long a sound lasts, in seconds; null when nobody can tell. */
  readonly measureSound: (file: SpooledFile) => Promise<number | null>
}

/** One transcription request of one caller. */
export interface TranscriptionTask {
  readonly caller: Caller
  readonly call: TranscriptionCall
  /** UUIDv7; also the id of the hold and of the usage record. */
  readonly requestId: string
}

export interface PreparedTranscription {
  readonly model: Model
  readonly upstream: { readonly name: string; readonly transcription: TranscriptionUpstream }
  readonly prices: TranscriptionPrices
  /** As it was measured; null where its bytes had to tell. */
  readonly duration: number | null
  /** Begun seconds are charged whole. */
  readonly chargedSeconds: number
  readonly charge: ChatCharge
  readonly hold: OpenHold
}

/**
 * Bytes of a second of sound whose length nobody can tell: 32 kbit/s, little for speech, so that the estimate is rather
 * long. Source: decision 0025 (speech and transcription).
 */
const BYTES_PER_SECOND = 4_000

/** The estimate of a request's charge, final before the upstream is asked. Source: spec 3, billing rule 4. */
export function chargeSeconds({ perSecond }: TranscriptionPrices, seconds: number): ChatCharge {
  const lines = [{ unit: 'seconds', quantity: seconds, perUnit: perSecond }] as const
  return chargeMedia({ lines, reportedCost: null, estimated: true })
}

function findPort(deps: TranscribeDeps, model: Model, call: TranscriptionCall): PreparedTranscription['upstream'] {
  const { name, transcription } = deps.upstreamOf(model)
  if (transcription === null || !transcription.tasks.includes(call.task)) {
    const does = call.task === 'translate' ? 'translate sound' : 'transcribe sound'
    throw new ServiceError('invalid_value', `The upstream of this model does not ${does}.`, { param: 'model' })
  }
  if (transcription.formats.includes(sourceFormats[call.format])) {
    transcription.refuseOpen?.(model.upstreamModel)
    return { name, transcription }
  }
  throw new ServiceError('unsupported_format', `This model does not give '${call.format}'.`, {
    param: 'response_format',
  })
}

/**
 * Resolves the model, measures the sound, and holds the charge.
 *
 * @throws {ServiceError} 404 unknown model, 403 model not allowed, 400 what the upstream cannot do, 402 naming what is
 *   needed.
 */
export async function prepareTranscription(
  deps: TranscribeDeps,
  { caller, call, requestId }: TranscriptionTask,
): Promise<PreparedTranscription> {
  const { model, offer } = findMediaModel(deps, caller, { id: call.model, type: 'transcription' })
  const upstream = findPort(deps, model, call)
  const { content } = call.file
  const duration = await deps.measureSound(content)
  const chargedSeconds = Math.max(1, Math.ceil(duration ?? content.byteLength / BYTES_PER_SECOND))
  const { prices } = offer
  const hold = await placeHold(deps, {
    requestId,
    caller,
    type: 'transcription',
    model: call.model,
    stream: call.stream,
    fixed: nanocreditsOf(0n),
    perUnit: chargeForCost(prices.perSecond),
    units: chargedSeconds,
    policy: 'exact',
    firstUnits: chargedSeconds,
    flush: call.stream ? 'at_once' : 'with_end',
  })
  return { model, upstream, prices, duration, chargedSeconds, charge: chargeSeconds(prices, chargedSeconds), hold }
}

/** The request for the upstream. */
export function upstreamRequest(
  { model, hold }: PreparedTranscription,
  call: TranscriptionCall,
): UpstreamTranscriptionRequest {
  const { filename, contentType, content } = call.file
  return {
    task: call.task,
    upstreamModel: model.upstreamModel,
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
