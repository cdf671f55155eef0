/**
 * What a request for media costs its caller: the reported cost plus the margin where the request is charged by it, else
 * quantities × list prices plus the margin. Images, videos, speech and transcription differ in what they count, not in
 * this.
 */
import { MARGIN_BPS } from '@svc/contract'
import { listMediaCost, type MediaLine, QUANTITY_DECIMALS, thousandths } from '@svc/contract/media-cost'
import type { SpeechPrices, TranscriptionPrices } from './media-price.ts'
import type { ChargeBasis, Charge, AttoUsd } from './price.ts'
import { chargeForCost, costAtPar, formatDecimal, formatUsd } from './usd.ts'

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
