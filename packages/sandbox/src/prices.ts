/**
 * What models cost at the sandbox, and what its answers cost by that. Like any upstream, it makes its own bill: nothing
 * here is shared with the gateway, which gets the cost as text. Amounts are whole numbers of 10⁻¹⁸ USD.
 */

/** Parts count as their whole: `cachedTokens` in `promptTokens`, `reasoningTokens` in `completionTokens`. */
export interface TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly reasoningTokens: number
  /** Absent means 0. */
  readonly imageOutputTokens?: number
  /** How often the price of a request is charged. Absent means once. */
  readonly requests?: number
}

/** Of a scripted model, for each token. */
export interface TokenPrices {
  readonly input: bigint
  readonly output: bigint
  /** For each request beside its tokens; null where there is no such price. */
  readonly request: bigint | null
}

/** A setting that is null does not matter. */
export interface ImageVariant {
  readonly resolution: string | null
  readonly size: string | null
  readonly quality: string | null
  readonly mode: string | null
  readonly perImage: bigint
}

export interface ImagePrices {
  readonly type: 'image'
  /** One image with the settings that are cheapest. */
  readonly perImage: bigint
  readonly variants: readonly ImageVariant[]
  /** One image that the request gives. */
  readonly perInputImage: bigint | null
  readonly perRequest: bigint | null
}

/** A setting that is null does not matter. */
export interface VideoVariant {
  readonly resolution: string | null
  readonly audio: boolean | null
  readonly perSecond: bigint
}

export interface VideoPrices {
  readonly type: 'video'
  /** One second with the settings that apply when a request names none. */
  readonly perSecond: bigint
  readonly defaultResolution: string | null
  readonly defaultAudio: boolean | null
  readonly variants: readonly VideoVariant[]
  readonly perInputImage: bigint | null
  /** Least cost of one video, however short. */
  readonly minimum: bigint | null
}

export interface SpeechPrices {
  readonly type: 'speech'
  /** Unicode code points of the input, or bytes of its UTF-8 text. */
  readonly unit: 'character' | 'byte'
  readonly perUnit: bigint
}

export interface TranscriptionPrices {
  readonly type: 'transcription'
  /** One second of audio. */
  readonly perSecond: bigint
}

export type MediaPrices = ImagePrices | VideoPrices | SpeechPrices | TranscriptionPrices

/** A quantity, which may have a fraction, at a price. */
export interface PricedQuantity {
  readonly quantity: number
  readonly perUnit: bigint
}

const ATTO_DECIMALS = 18
const THOUSAND = 1_000n

/** Prints an amount in USD as an exact decimal: no exponent, no trailing zeros. */
export function formatUsd(amount: bigint): string {
  const digits = amount.toString().padStart(ATTO_DECIMALS + 1, '0')
  const whole = digits.slice(0, -ATTO_DECIMALS)
  let end = ATTO_DECIMALS
  while (end > 0 && digits[whole.length + end - 1] === '0') end--
  return end === 0 ? whole : `${whole}.${digits.slice(whole.length, whole.length + end)}`
}

/** What the answer of a scripted model costs, in USD as decimal text. */
export function tokenCost({ input, output, request }: TokenPrices, usage: TokenUsage): string {
  const tokens = BigInt(usage.promptTokens) * input + BigInt(usage.completionTokens) * output
  return formatUsd(tokens + (request ?? 0n) * BigInt(usage.requests ?? 1))
}

/** What quantities cost together, each in thousandths and rounded up, in USD as decimal text; at least the minimum. */
export function quantityCost(quantities: readonly PricedQuantity[], minimum: bigint | null): string {
  const thousandths = ({ quantity }: PricedQuantity) => BigInt(Math.ceil(Number((quantity * 1_000).toFixed(6))))
  const sum = quantities.reduce((total, each) => total + thousandths(each) * each.perUnit, 0n)
  const cost = (sum + THOUSAND - 1n) / THOUSAND
  return formatUsd(minimum !== null && minimum > cost ? minimum : cost)
}
