/** One text that is spoken. */
import { countCharacters, nanocreditsOf } from '@svc/contract'
import { type BillingDeps, type OpenHold, placeHold } from '../billing/open-hold.ts'
import type { Model } from '../catalog/model.ts'
import type { SpeechFormat } from '../audio/speech-format.ts'
import { codeOf } from '../errors/code-of.ts'
import { ServiceError } from '../errors/service-error.ts'
import type { Caller } from '../keys/caller.ts'
import { chargeMedia } from '../pricing/charge-media.ts'
import { spokenUnits } from '../pricing/delivered-part.ts'
import type { SpeechPrices } from '../pricing/media-price.ts'
import type { ChatCharge } from '../pricing/price.ts'
import { chargeForCost } from '../pricing/usd.ts'
import type { SpeechUpstream, UpstreamSpeech } from '../upstream/speech-upstream.ts'
import { chooseVoice } from './choose-voice.ts'
import { findMediaModel, type FindModelDeps } from './find-model.ts'
import { mediaSettlement } from './media-settlement.ts'
import type { SpeechCall } from './parse-speech.ts'
import { brokenSound } from './sound-events.ts'
import type { SoundReader, SoundWriter } from './sound-reader.ts'
import type { StreamEnd } from './stream-chat.ts'

export interface SpeakTextDeps extends BillingDeps, FindModelDeps {
  /** The upstream that serves a model; its port is null where it speaks nothing. */
  readonly upstreamOf: (model: Model) => { readonly name: string; readonly speech: SpeechUpstream | null }
}

/** One speech request of one caller. */
export interface SpeechTask {
  readonly caller: Caller
  readonly call: SpeechCall
  /** UUIDv7; also the id of the hold and of the usage record. */
  readonly requestId: string
}

interface PreparedSpeech {
  readonly model: Model
  readonly upstream: { readonly name: string; readonly speech: SpeechUpstream }
  readonly prices: SpeechPrices
  readonly format: SpeechFormat
  readonly voice: string | null
  /** Characters or bytes of the text. */
  readonly units: number
  readonly speed: number
  readonly charge: ChatCharge
  readonly hold: OpenHold
}

/** Prices spoken text by its length. */
export function chargeUnits({ unit, perUnit }: SpeechPrices, units: number): ChatCharge {
  const lines = [{ unit: unit === 'byte' ? 'bytes' : 'characters', quantity: units, perUnit }] as const
  return chargeMedia({ lines, reportedCost: null })
}

function refuseFormat(format: SpeechFormat, formats: readonly SpeechFormat[]): void {
  if (formats.includes(format)) return
  const message = `This model does not give '${format}'; it gives ${formats.join(', ')}.`
  throw new ServiceError('unsupported_format', message, { param: 'response_format' })
}

async function prepareSpeech(deps: SpeakTextDeps, { caller, call, requestId }: SpeechTask): Promise<PreparedSpeech> {
  const { request } = call
  const { model, offer } = findMediaModel(deps, caller, { id: request.model, type: 'speech' })
  const { name, speech } = deps.upstreamOf(model)
  if (speech === null) {
    throw new ServiceError('invalid_value', 'The upstream of this model speaks nothing.', { param: 'model' })
  }
  speech.refuseOpen?.(model.upstreamModel)
  const format = request.response_format ?? 'mp3'
  refuseFormat(format, speech.formats)
  const voice = chooseVoice(offer.facts, request.voice)
  const { prices } = offer
  const units = prices.unit === 'byte' ? Buffer.byteLength(request.input) : countCharacters(request.input)
  const hold = await placeHold(deps, {
    requestId,
    caller,
    type: 'speech',
    model: request.model,
    stream: request.stream_format === 'sse',
    fixed: nanocreditsOf(0n),
    perUnit: chargeForCost(prices.perUnit),
    units,
    policy: 'exact',
    firstUnits: units,
    // The sound leaves as it comes, in every form of the answer.
    flush: 'at_once',
  })
  const charge = chargeUnits(prices, units)
  const speed = request.speed ?? 1
  return { model, upstream: { name, speech }, prices, format, voice, units, speed, charge, hold }
}

/** What the request would be charged if this process died while the sound comes: all, as it is for every caller. */
function journal({ hold, charge, model, upstream }: PreparedSpeech, generationId: string | null): void {
  hold.progress = () => ({
    holdId: hold.id,
    charge: charge.charge,
    cost: nanocreditsOf(charge.cost),
    promptTokens: 0,
    completionTokens: 0,
    pricing: charge.pricing,
    upstream: upstream.name,
    upstreamModel: model.upstreamModel,
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
  const { hold, model, upstream, prices, units, format } = prepared
  const served = { upstream: upstream.name, model, generationId: speech.generationId }
  if (end.error === null) {
    return hold.settle(mediaSettlement(prepared.charge, served, { status: 'ok', errorCode: null, estimated: false }))
  }
  if (isOurs) {
    const cancelled = { status: 'cancelled', errorCode: null, estimated: false } as const
    return hold.settle(mediaSettlement(prepared.charge, served, cancelled))
  }
  const spoken = spokenUnits(units, { format, bytes: end.bytes, speed: prepared.speed })
  const cut = { status: 'ok', errorCode: codeOf(brokenSound(end.error)), estimated: true } as const
  return hold.settle(mediaSettlement(chargeUnits(prices, spoken), served, cut))
}

async function deliver(prepared: PreparedSpeech, speech: UpstreamSpeech, reader: SoundReader): Promise<StreamEnd> {
  const { hold, charge } = prepared
  const writer = reader.open({ contentType: speech.contentType, charge: charge.charge })
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
  const { hold, model, upstream } = prepared
  let speech: UpstreamSpeech
  try {
    speech = await upstream.speech.speak({
      body: task.call.body,
      upstreamModel: model.upstreamModel,
      format: prepared.format,
      voice: prepared.voice,
      confidential: model.confidential,
      signal: hold.ended.signal,
    })
  } catch (error) {
    await hold.abandon(codeOf(error), { upstream: upstream.name, upstreamModel: model.upstreamModel })
    throw error
  }
  journal(prepared, speech.generationId)
  hold.firstContentAt = deps.clock.now()
  return deliver(prepared, speech, reader)
}
