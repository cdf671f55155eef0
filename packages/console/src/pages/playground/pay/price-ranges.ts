/** What a request can cost before it is sent, by the public price lists. Pure; amounts are exact. */
import {
  type DecimalText,
  type Exact,
  type ImageModelEntry,
  type ModelEntry,
  type Nanocredits,
  nanocreditsFrom,
  nanocreditsOf,
  picturePrice,
  type PictureRequest,
  type VideoModelEntry,
} from '@svc/contract'

/** The least and the most that can be charged. Equal where the price is known. */
export interface PriceRange {
  readonly low: Nanocredits
  readonly high: Nanocredits
}

/** Bytes of text for one token, as an estimate. Source: decision 0003 (charge of a chat request). */
const BYTES_PER_TOKEN = 4
/** Tokens that a picture has at most. Source: decision 0005 (size of a hold). */
const IMAGE_TOKENS_MAX = 16_384
/** Tokens that a picture has at least. Source: own choice, below every published rule. */
const IMAGE_TOKENS_MIN = 64
/** What a chat template adds. Source: decision 0005 (size of a hold). */
const TEMPLATE_TOKENS = 64
/** For models that name no longest answer: the context is the limit, and where that is unknown, too, this. */
const OUTPUT_TOKENS_UNKNOWN = 32_768

const PER_MILLION = 1_000_000n
/** Nanocredits for a million tokens at one US dollar a token. */
const NANOCREDITS_PER_1M_USD = 18

export interface ChatSize {
  /** UTF-8 bytes of all text that is sent. */
  readonly bytes: number
  readonly images: number
  /** The limit that the request names; null for none. */
  readonly maxTokens: number | null
}

/** Null where the model has no price for tokens: then nobody can say before. */
export function chatRange(model: Exact<ModelEntry>, size: ChatSize): PriceRange | null {
  const { credits_per_1m_input: input, credits_per_1m_output: output } = model.svc
  if (input === null || output === null) return null
  const low = { input: Math.ceil(size.bytes / BYTES_PER_TOKEN) + size.images * IMAGE_TOKENS_MIN, output: 1 }
  const high = {
    input: size.bytes + TEMPLATE_TOKENS + size.images * IMAGE_TOKENS_MAX,
    output: longestAnswer(model, size.maxTokens),
  }
  const prices = { input: nanocreditsFrom(input), output: nanocreditsFrom(output) }
  return {
    low: tokensCost(low, prices),
    high: tokensCost(high, dearestPrices(model, prices, high.input)),
  }
}

interface TokenPair<Value> {
  readonly input: Value
  readonly output: Value
}

function tokensCost(tokens: TokenPair<number>, prices: TokenPair<bigint>): Nanocredits {
  const exact = BigInt(tokens.input) * prices.input + BigInt(tokens.output) * prices.output
  return nanocreditsOf((exact + PER_MILLION - 1n) / PER_MILLION)
}

function longestAnswer(model: Exact<ModelEntry>, asked: number | null): number {
  const own = model.max_output_tokens ?? model.context_length ?? OUTPUT_TOKENS_UNKNOWN
  return asked === null ? own : Math.min(asked, own)
}

/** Some models cost more for long prompts: the dearest tier that this one can reach. */
function dearestPrices(model: Exact<ModelEntry>, base: TokenPair<bigint>, tokens: number): TokenPair<bigint> {
  let { input, output } = base
  for (const tier of model.pricing?.overrides ?? []) {
    if (tokens <= tier.min_prompt_tokens) continue
    input = larger(input, perMillion(tier.prompt))
    output = larger(output, perMillion(tier.completion))
  }
  return { input, output }
}

function perMillion(usdPerToken: string | undefined): bigint {
  const [, whole = '0', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(usdPerToken ?? '0') ?? []
  return BigInt(whole + fraction.slice(0, NANOCREDITS_PER_1M_USD).padEnd(NANOCREDITS_PER_1M_USD, '0'))
}

const larger = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** Two answers at the same time cost what each costs. Null when one of them is not known. */
export function sumRanges(ranges: readonly (PriceRange | null)[]): PriceRange | null {
  let [low, high] = [0n, 0n]
  for (const range of ranges) {
    if (range === null) return null
    low += range.low
    high += range.high
  }
  return { low: nanocreditsOf(low), high: nanocreditsOf(high) }
}

export interface ImageWish extends PictureRequest {
  readonly count: number
}

/** One picture at its cheapest, since pictures that do not come are free, and all of them at their dearest. */
export function imageRange(model: Exact<ImageModelEntry>, wish: ImageWish): PriceRange {
  const { least, most } = picturePrice(model, wish)
  return { low: least, high: nanocreditsOf(most * BigInt(wish.count)) }
}

const isAsked = (wish: string | null, offered: string | undefined): boolean =>
  wish === null || offered === undefined || wish.toLowerCase() === offered.toLowerCase()

function smallest(amounts: readonly bigint[]): bigint {
  return amounts.reduce((least, each) => (each < least ? each : least))
}

export interface VideoWish {
  readonly seconds: number
  readonly resolution: string | null
  readonly hasSound: boolean
  readonly inputs: number
}

export function videoRange(model: Exact<VideoModelEntry>, wish: VideoWish): PriceRange | null {
  const seconds = model.pricing.filter(({ unit }) => unit === 'second')
  const resolution = wish.resolution ?? model.default_resolution
  const sized = seconds.filter((row) => isAsked(resolution, row.resolution))
  const fitting = sized.filter(({ audio }) => audio === undefined || audio === wish.hasSound)
  const rows = [fitting, sized, seconds].find((list) => list.length > 0)
  const whole = model.pricing.filter(({ unit }) => unit === 'generation').map(({ credits }) => nanocreditsFrom(credits))
  if (rows === undefined && whole.length === 0) return null
  const prices = (rows ?? []).map(({ credits }) => nanocreditsFrom(credits) * BigInt(wish.seconds))
  const base = whole.reduce((sum, each) => sum + each, 0n) + inputsCost(model, wish.inputs)
  return {
    low: nanocreditsOf((prices.length === 0 ? 0n : smallest(prices)) + base),
    high: nanocreditsOf(prices.reduce(larger, 0n) + base),
  }
}

function inputsCost(model: Exact<VideoModelEntry>, inputs: number): bigint {
  const prices = model.pricing.filter(({ unit }) => unit === 'input_image')
  return prices.reduce((sum, { credits }) => sum + nanocreditsFrom(credits) * BigInt(inputs), 0n)
}

/** So many characters, bytes or seconds at the price of one. Null where the list tells none. */
export function unitsRange(perUnit: DecimalText | null, units: number): PriceRange | null {
  if (perUnit === null) return null
  const exact = nanocreditsOf(nanocreditsFrom(perUnit) * BigInt(units))
  return { low: exact, high: exact }
}

const encoder = new TextEncoder()

export const bytesOf = (text: string): number => encoder.encode(text).length
