/** One text that is spoken. */
import { nanocreditsOf } from '@svc/contract'
import { type BillingDeps, type OpenHold, placeHold } from '../billing/open-hold.ts'
import type { Model } from '../catalog/model.ts'
import type { SpeechFormat } from '../audio/speech-format.ts'
import { codeOf } from '../errors/code-of.ts'
import type { Caller } from '../keys/caller.ts'
import { spokenUnits } from '../pricing/delivered-part.ts'
import { chargeForCost } from '../pricing/usd.ts'
import { type AttemptDeps, attemptTargets } from '../routing/attempt-targets.ts'
import { listTargets, type TargetDeps } from '../routing/list-targets.ts'
import type { UpstreamSpeech } from '../upstream/speech-upstream.ts'
import { findMediaModel, type FindModelDeps } from './find-model.ts'
import type { LateCostDeps } from './late-cost.ts'
import { mediaSettlement } from './media-settlement.ts'
import type { SpeechCall } from './parse-speech.ts'
import { settleFailed } from './settle-failed.ts'
import { brokenSound } from './sound-events.ts'
import type { SoundReader, SoundWriter } from './sound-reader.ts'
import { chargeUnits, type SpeechTarget, speechTarget } from './speech-target.ts'
import type { StreamEnd } from './stream-chat.ts'

export interface SpeakTextDeps extends BillingDeps, FindModelDeps, LateCostDeps, TargetDeps, AttemptDeps {}

/** One speech request of one caller. */
export interface SpeechTask {
  readonly caller: Caller
  readonly call: SpeechCall
  /** UUIDv7; also the id of the hold and of the usage record. */
  readonly requestId: string
}

interface PreparedSpeech {
  readonly model: Model
  /** Every upstream that may come to speak; the hold covers the dearest. */
  readonly targets: readonly SpeechTarget[]
  /** Who speaks: the first target, until an attempt is repeated elsewhere. */
  target: SpeechTarget
  readonly format: SpeechFormat
  readonly speed: number
  readonly hold: OpenHold
}

/** Of the target at which a text of this length is dearest. */
function holdOf(targets: readonly [SpeechTarget, ...SpeechTarget[]]) {
  const bounds = targets.map(({ prices, units }) => ({ perUnit: chargeForCost(prices.perUnit), units }))
  const wholeOf = ({ perUnit, units }: (typeof bounds)[number]): bigint => perUnit * BigInt(units)
  const { perUnit, units } = bounds.reduce((most, bound) => (wholeOf(bound) > wholeOf(most) ? bound : most))
  return { fixed: nanocreditsOf(0n), perUnit, units, firstUnits: units, policy: 'exact' } as const
}

async function prepareSpeech(deps: SpeakTextDeps, { caller, call, requestId }: SpeechTask): Promise<PreparedSpeech> {
  const { request } = call
  const model = findMediaModel(deps, caller, { id: request.model, type: 'speech' })
  const format = request.response_format ?? 'mp3'
  const targets = listTargets(deps, model, speechTarget(call, format))
  const hold = await placeHold(deps, {
    requestId,
    caller,
    type: 'speech',
    model: request.model,
    stream: request.stream_format === 'sse',
    ...holdOf(targets),
    // The sound leaves as it comes, in every form of the answer.
    flush: 'at_once',
  })
  return { model, targets, target: targets[0], format, speed: request.speed ?? 1, hold }
}

/** What the request would be charged if this process died while the sound comes: all, as it is for every caller. */
function journal({ hold, target }: PreparedSpeech, generationId: string | null): void {
  const { charge, upstream, upstreamModel } = target
  hold.progress = () => ({
    holdId: hold.id,
    charge: charge.charge,
    cost: nanocreditsOf(charge.cost),
    promptTokens: 0,
    completionTokens: 0,
    pricing: charge.pricing,
    upstream: upstream.name,
    upstreamModel,
    generationId,
  })
}

/** How the sound ended, and what is left to send. */
interface SoundEnd {
  readonly last: Buffer
  readonly bytes: number
  /** Null for a whole sound. */
  readonly error: unknown
}

/** Hands the sound on, but for its last piece, which waits for the settlement. */
async function passOn(speech: UpstreamSpeech, writer: SoundWriter, gone: AbortSignal): Promise<SoundEnd> {
  const { sound } = speech
  const onGone = (): void => void sound.destroy()
  let last: Buffer | null = null
  let bytes = 0
  gone.addEventListener('abort', onGone)
  try {
    if (gone.aborted) onGone()
    for await (const piece of sound as AsyncIterable<Buffer>) {
      if (last !== null) await writer.write(last)
      last = piece
      bytes += piece.length
    }
    // A sound that was destroyed before it was read ends without a word.
    return { last: last ?? Buffer.alloc(0), bytes, error: gone.aborted ? gone.reason : null }
  } catch (error) {
    return { last: last ?? Buffer.alloc(0), bytes, error }
  } finally {
    gone.removeEventListener('abort', onGone)
    sound.destroy()
  }
}

/**
 * Settles a sound that has begun. It is charged whole whoever ends it on our side, since upstreams bill the text with
 * the first sound of it; where the upstream broke off, the part that came is charged.
 */
async function settle(prepared: PreparedSpeech, speech: UpstreamSpeech, end: SoundEnd, isOurs: boolean) {
  const { hold, target, format } = prepared
  const { prices, units, charge } = target
  const served = { upstream: target.upstream.name, model: target, generationId: speech.generationId }
  if (end.error === null) {
    return hold.settle(mediaSettlement(charge, served, { status: 'ok', errorCode: null, estimated: false }))
  }
  if (isOurs) {
    const cancelled = { status: 'cancelled', errorCode: null, estimated: false } as const
    return hold.settle(mediaSettlement(charge, served, cancelled))
  }
  const spoken = spokenUnits(units, { format, bytes: end.bytes, speed: prepared.speed })
  const cut = { status: 'ok', errorCode: codeOf(brokenSound(end.error)), estimated: true } as const
  return hold.settle(mediaSettlement(chargeUnits(prices, spoken), served, cut))
}

async function deliver(prepared: PreparedSpeech, speech: UpstreamSpeech, reader: SoundReader): Promise<StreamEnd> {
  const { hold, target } = prepared
  const writer = reader.open({ contentType: speech.contentType, charge: target.charge.charge })
  const end = await passOn(speech, writer, reader.gone)
  const isOurs = reader.gone.aborted || hold.ended.signal.aborted
  try {
    const charged = await settle(prepared, speech, end, isOurs)
    reader.charged(charged)
    if (end.error !== null) {
      writer.fail(brokenSound(end.error))
      return reader.gone.aborted ? 'cut' : 'failed'
    }
    writer.finish(end.last, charged)
    return 'whole'
  } catch (error) {
    // The settlement stays with the hold and is written later; the caller lacks the end until then.
    writer.fail(error)
    return 'failed'
  }
}

/** Asks for the sound, until an upstream has begun with it. */
function beginToSpeak(
  deps: SpeakTextDeps,
  prepared: PreparedSpeech,
  { call }: SpeechTask,
  { gone }: SoundReader,
): Promise<UpstreamSpeech> {
  const { format, hold, model } = prepared
  const { signal } = hold.ended
  return attemptTargets(deps, prepared, {
    run: ({ port, upstreamModel, voice }) =>
      port.speak({ body: call.body, upstreamModel, format, voice, confidential: model.confidential, signal }),
    // What it costs is not told with a sound, and the text is charged whatever it was.
    reportsOf: () => [],
    failureOf: () => null,
    isEnded: () => signal.aborted,
    mayRepeat: () => !signal.aborted && !gone.aborted,
  })
}

/**
 * Speaks a text and charges it. The charge is durable before the last byte is sent.
 *
 * Rejects only when nothing was sent yet; a later failure ends the answer before its end.
 * Source: spec 2.6 and billing rule 3; decision 0025 (speech and transcription).
 *
 * @throws {ServiceError} for everything that fails before the first sound; the request is then free.
 */
export async function speakText(deps: SpeakTextDeps, task: SpeechTask, reader: SoundReader): Promise<StreamEnd> {
  const prepared = await prepareSpeech(deps, task)
  let speech: UpstreamSpeech
  try {
    speech = await beginToSpeak(deps, prepared, task, reader)
  } catch (error) {
    await settleFailed(deps, prepared, error)
    throw error
  }
  journal(prepared, speech.generationId)
  prepared.hold.noteFirstContent()
  return deliver(prepared, speech, reader)
}
