/** What one request can cost before it is sent. */
import { isSoldByPrompt, nanocreditsOf, type Nanocredits, type RequestPriceQuery, videoRequest } from '@svc/contract'
import type { MediaOfferOf } from '../catalog/media-offer.ts'
import { type Model, offeringsOf, pricesOf } from '../catalog/model.ts'
import { boundTokens } from '../modalities/chat/chat-bound.ts'
import { limitOutput } from '../modalities/chat/chat-limits.ts'
import { boundImages } from '../modalities/images/image-bound.ts'
import { boundSpeech, unitsOf } from '../modalities/speech/speech-bound.ts'
import { boundAudio, wholeSeconds } from '../modalities/transcription/audio-bound.ts'
import { chooseSettings } from '../modalities/videos/video-settings.ts'
import { estimateVideo } from '../modalities/videos/video-target.ts'
import type { Bound } from '../pipeline/paid-work.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { chargeSeconds, chargeUnits } from '../pricing/charge-media.ts'
import { boundEmbedding, boundText } from '../pricing/embedding-bound.ts'
import type { MediaPrices } from '../pricing/media-price.ts'
import type { Charge, ChatPrice } from '../pricing/price.ts'
import { boundPromptSize, leastPrompt, likelyPrompt } from '../pricing/prompt-bound.ts'
import { chargeRenders, chargeTokens } from './charge-usage.ts'
import { LIKELY_OUTPUT_TOKENS } from './quote-chat.ts'

export interface RequestQuote {
  /** What is probably charged at least for an answer: that of the cheapest upstream. */
  readonly least: Nanocredits
  /** What such a request usually costs at the first upstream, as in a quote of the request itself. */
  readonly likely: Nanocredits
  /** What is held, where the balance pays for it: that of the dearest upstream. */
  readonly most: Nanocredits
  /** Whether the list says itself that its price is a guess, so that what the upstream reports is charged. */
  readonly isGuess: boolean
  /** What was multiplied, by names for programs. */
  readonly counted: Readonly<Record<string, number | string>>
}

/**
 * Says what a request can cost.
 *
 * @throws {ServiceError} `model_not_found` for a model without a price, `invalid_value` for a setting that the model
 *   does not have, or one that is missing.
 */
export function quoteRequest(model: Model, asked: RequestPriceQuery): RequestQuote {
  const { least, likely, most, counted } = quote(model, asked)
  return {
    least: smallest([least, most]),
    likely: smallest([likely, most]),
    most,
    // Speech and transcripts are charged by the list, whatever it says of itself.
    isGuess: (model.type === 'image' || model.type === 'video') && model.media?.isGuess === true,
    counted,
  }
}

type Range = Omit<RequestQuote, 'isGuess'>

function quote(model: Model, asked: RequestPriceQuery): Range {
  switch (model.media?.type) {
    case undefined:
      return isSoldByPrompt(model.type) ? quoteEmbedding(model, asked) : quoteChat(model, asked)
    case 'image':
      return quoteImages(offersOf(model, 'image'), asked)
    case 'video':
      return quoteVideo(offersOf(model, 'video'), asked)
    case 'speech':
      return quoteSpeech(offersOf(model, 'speech'), asked)
    case 'transcription':
      return quoteTranscription(offersOf(model, 'transcription'), asked)
  }
}

function quoteChat(model: Model, asked: RequestPriceQuery): Range {
  const prices = tokenPricesOf(model)
  const { bytes: textBytes, characters, input_images: images } = asked
  const size = { textBytes, images, audioTokens: 0, unknownSize: false, explains: asked.explains === 'true' }
  const promptTokens = boundPromptSize(size, model.contextLength)
  const output = limitOutput({ max_tokens: asked.max_tokens }, model, promptTokens)
  const usual = {
    input: likelyPrompt({ bytes: textBytes, images }),
    output: Math.min(output.tokens, LIKELY_OUTPUT_TOKENS),
  }
  return {
    least: cheapest(
      prices.map((price) => chargeTokens(price, { input: leastPrompt({ characters, images }), output: 1 })),
    ),
    likely: chargeTokens(prices[0], usual).charge,
    most: wholeOf(boundTokens(prices, promptTokens, output, 1)),
    counted: { prompt_tokens_at_most: promptTokens, output_tokens_at_most: output.tokens },
  }
}

function quoteEmbedding(model: Model, { bytes, characters }: RequestPriceQuery): Range {
  const prices = tokenPricesOf(model)
  const tokens = boundText(bytes, model.contextLength)
  const input = leastPrompt({ characters, images: 0 })
  return {
    least: cheapest(prices.map((price) => chargeTokens(price, { input, output: 0 }))),
    likely: chargeTokens(prices[0], { input: likelyPrompt({ bytes, images: 0 }), output: 0 }).charge,
    most: wholeOf(boundEmbedding(prices, tokens)),
    counted: { prompt_tokens_at_most: tokens },
  }
}

/** One image at its cheapest, since images that do not come are free, and all of them at their dearest. */
function quoteImages(offers: Offers<'image'>, asked: RequestPriceQuery): Range {
  const { images: count, input_images: inputs } = asked
  const settings = { size: asked.size ?? null, resolution: null, quality: asked.quality ?? null }
  const lists = offers.map(({ prices }) => prices)
  const [{ prices: first }] = offers
  return {
    least: cheapest(lists.map((prices) => chargeRenders(prices, { ...settings, count: 1, inputs }))),
    likely: chargeRenders(first, { ...settings, count, inputs }).charge,
    most: wholeOf(boundImages(lists, { count, settings, inputs, promptBytes: asked.bytes })),
    counted: { images: count, input_images: inputs },
  }
}

function quoteVideo(offers: Offers<'video'>, asked: RequestPriceQuery): Range {
  const request = videoRequest.parse({
    model: asked.model,
    // Any: what is shown does not change the price.
    prompt: '-',
    duration: asked.seconds,
    resolution: asked.resolution,
    generate_audio: asked.audio === undefined ? undefined : asked.audio === 'true',
  })
  const able = ableOf(offers.map((offer) => () => ({ offer, settings: chooseSettings(request, offer, null) })))
  const estimates = able.map(
    ({ offer, settings }) => estimateVideo(offer.prices, settings, asked.input_images).estimate,
  )
  const [first] = able
  const { seconds, resolution } = first.settings
  return {
    least: smallest(estimates),
    likely: estimateVideo(first.offer.prices, first.settings, asked.input_images).estimate,
    most: estimates.reduce((dearest, each) => (each > dearest ? each : dearest)),
    counted: { seconds, input_images: asked.input_images, ...(resolution === null ? {} : { resolution }) },
  }
}

/** What comes of those that can do what is asked. @throws {ServiceError} why the first cannot, where none can. */
function ableOf<Made>(attempts: readonly (() => Made)[]): readonly [Made, ...Made[]] {
  const made: Made[] = []
  let refusal: ServiceError | null = null
  for (const attempt of attempts) {
    try {
      made.push(attempt())
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      refusal ??= error
    }
  }
  const [first, ...others] = made
  if (first === undefined) throw refusal ?? withoutPrice()
  return [first, ...others]
}

/** The charge itself: it is known before the first audio. */
function quoteSpeech(offers: Offers<'speech'>, asked: RequestPriceQuery): Range {
  const lists = offers.map(({ prices }) => prices)
  const [{ prices: first }] = offers
  return {
    least: cheapest(lists.map((prices) => chargeUnits(prices, unitsOf(prices, asked)))),
    likely: chargeUnits(first, unitsOf(first, asked)).charge,
    most: wholeOf(boundSpeech(lists, asked)),
    counted: { [first.unit === 'byte' ? 'bytes' : 'characters']: unitsOf(first, asked) },
  }
}

/** The charge itself, as far as the length is known. */
function quoteTranscription(offers: Offers<'transcription'>, asked: RequestPriceQuery): Range {
  if (asked.seconds === undefined) {
    throw new ServiceError('missing_required_parameter', "Missing required parameter: 'seconds'.", { param: 'seconds' })
  }
  const seconds = wholeSeconds(asked.seconds)
  const lists = offers.map(({ prices }) => prices)
  const [{ prices: first }] = offers
  return {
    least: cheapest(lists.map((prices) => chargeSeconds(prices, seconds))),
    likely: chargeSeconds(first, seconds).charge,
    most: wholeOf(boundAudio(lists, seconds)),
    counted: { seconds },
  }
}

type Offers<Type extends MediaPrices['type']> = readonly [MediaOfferOf<Type>, ...MediaOfferOf<Type>[]]

/** Each place by its own list: the one list of the model cannot say which prices meet in one request. */
function offersOf<Type extends MediaPrices['type']>(model: Model, type: Type): Offers<Type> {
  const offers = offeringsOf(model).flatMap(({ media }) => (media?.type === type ? [media as MediaOfferOf<Type>] : []))
  const [first, ...others] = offers
  if (first === undefined) throw withoutPrice()
  return [first, ...others]
}

function tokenPricesOf(model: Model): readonly [ChatPrice, ...ChatPrice[]] {
  const [first, ...others] = pricesOf(model)
  if (first === undefined) throw withoutPrice()
  return [first, ...others]
}

function withoutPrice(): ServiceError {
  return new ServiceError('model_not_found', 'This model has no price.', { param: 'model' })
}

function wholeOf({ fixed, perUnit, units }: Pick<Bound, 'fixed' | 'perUnit' | 'units'>): Nanocredits {
  return nanocreditsOf(fixed + perUnit * BigInt(units))
}

function cheapest(charges: readonly Charge[]): Nanocredits {
  return smallest(charges.map(({ charge }) => charge))
}

/** @param amounts at least one. */
function smallest(amounts: readonly Nanocredits[]): Nanocredits {
  return amounts.reduce((least, each) => (each < least ? each : least))
}
