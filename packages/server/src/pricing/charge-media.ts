/**
 * What a request for media costs its caller: the reported cost plus the margin where the request is charged by it, else
 * quantities × list prices plus the margin. Images, videos, speech and transcription differ in what they count, not in
 * this.
 */
import { MARGIN_BPS } from '@svc/contract'
import type { SpeechPrices, TranscriptionPrices } from './media-price.ts'
import type { ChargeBasis, Charge, AttoUsd } from './price.ts'
import { attoUsdOf, chargeForCost, costAtPar, formatDecimal, formatUsd } from './usd.ts'

/** Quantities are exact to a thousandth: milliseconds of a second, and whole numbers of everything else. */
const QUANTITY_DECIMALS = 3
const QUANTITY_ONE = 1_000n

/** What is counted, in the words of the usage record. */
export type MediaUnit = 'images' | 'input_images' | 'seconds' | 'characters' | 'bytes' | 'requests'

/** So many units at so much each. */
export interface MediaLine {
  readonly unit: MediaUnit
  /** Not negative; finer than a thousandth rounds up. */
  readonly quantity: number
  readonly perUnit: AttoUsd
}

/** What was delivered, and what decides its price. The first line is what the request is about. */
export interface MediaWork {
  readonly lines: readonly [MediaLine, ...MediaLine[]]
  /** Least cost by list; null for none. */
  readonly minimum?: AttoUsd | null
  /** What the upstream says that this request cost; null where it does not, or where the list alone decides. */
  readonly reportedCost: AttoUsd | null
  /** True when the quantities were not counted but estimated, as the length of audio is from its bytes. */
  readonly estimated?: boolean
  /** The settings that chose the price, such as `{ quality: 'high' }`. */
  readonly variant?: Readonly<Record<string, string>>
}

/**
 * Prices finished work. One rounding, up, of the whole.
 *
 * Source: decision 0022 (prices of media).
 */
export function chargeMedia(work: MediaWork): Charge {
  const listed = listMediaCost(work.lines, work.minimum ?? null)
  const cost = work.reportedCost ?? listed
  const byList: ChargeBasis = work.estimated === true ? 'estimate' : 'list'
  return {
    charge: chargeForCost(cost),
    cost: costAtPar(cost),
    basis: work.reportedCost === null ? byList : 'cost',
    pricing: renderPricing(work, cost),
  }
}

/** Quantities × list prices, at least the minimum; exact. */
export function listMediaCost(lines: readonly MediaLine[], minimum: AttoUsd | null = null): AttoUsd {
  const sum = lines.reduce((total, line) => total + thousandths(line.quantity) * line.perUnit, 0n)
  const cost = (sum + QUANTITY_ONE - 1n) / QUANTITY_ONE
  return attoUsdOf(minimum !== null && minimum > cost ? minimum : cost)
}

/** A quantity in thousandths, rounded up. Anything that is no number counts as nothing. */
function thousandths(quantity: number): bigint {
  if (!(quantity > 0)) return 0n
  return BigInt(Math.ceil(Number((Math.min(quantity, QUANTITY_MAX) * 1_000).toFixed(6))))
}

/** More than any request can have; keeps sums in 64 bits. */
const QUANTITY_MAX = 1_000_000_000

function renderPricing(work: MediaWork, cost: AttoUsd): string {
  const quantities = work.lines.map(
    ({ unit, quantity }) => `"${unit}":${formatDecimal(thousandths(quantity), QUANTITY_DECIMALS)}`,
  )
  const prices = work.lines.map(({ unit, perUnit }) => `"${unit}":"${formatUsd(perUnit)}"`)
  const isByCost = work.reportedCost !== null
  const parts = [
    `"basis":"${isByCost ? 'cost' : 'list'}"`,
    ...(work.estimated === true ? ['"estimated":true'] : []),
    `"units":{${quantities.join(',')}}`,
    ...(work.variant === undefined ? [] : [`"variant":${JSON.stringify(work.variant)}`]),
    // Where the cost decides, the list has no part in the charge.
    ...(isByCost ? [] : [`"usd_per_unit":{${prices.join(',')}}`]),
    ...(isByCost || (work.minimum ?? null) === null ? [] : [`"minimum_usd":"${formatUsd(work.minimum as AttoUsd)}"`]),
    `"cost_usd":"${formatUsd(cost)}","margin_bps":${MARGIN_BPS}`,
  ]
  return `{${parts.join(',')}}`
}

/** Prices spoken text by its length. */
export function chargeUnits({ unit, perUnit }: SpeechPrices, units: number): Charge {
  const lines = [{ unit: unit === 'byte' ? 'bytes' : 'characters', quantity: units, perUnit }] as const
  return chargeMedia({ lines, reportedCost: null })
}

/**
 * The estimate of a request's charge, final before the upstream that serves it is asked. Source: spec 3, billing rule
 * 4.
 */
export function chargeSeconds({ perSecond }: TranscriptionPrices, seconds: number): Charge {
  const lines = [{ unit: 'seconds', quantity: seconds, perUnit: perSecond }] as const
  return chargeMedia({ lines, reportedCost: null, estimated: true })
}
