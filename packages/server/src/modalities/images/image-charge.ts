/** From the images that came to what the caller pays. Pure: the rules of the price are the pricing room's. */
import type { CountedTokens } from '../../pipeline/paid-work.ts'
import { listMediaCost, type MediaLine } from '@svc/contract/media-cost'
import { chargeMedia } from '../../pricing/charge-media.ts'
import { likelyImageRate } from '../../pricing/image-rate.ts'
import type { RenderSettings } from '../../pricing/image-variants.ts'
import type { AttoUsd, Charge } from '../../pricing/price.ts'
import { attoUsdOf } from '../../pricing/usd.ts'
import type { UpstreamImages } from '../../upstreams/image-upstream.ts'
import type { ImageCall } from './image-call.ts'
import type { ImageTarget } from './image-target.ts'

/** What a request for images costs. */
export interface ImageCharge {
  readonly charge: Charge
  /** True where the cost of some of the calls was reported and that of others taken from the list. */
  readonly estimated: boolean
}

/**
 * Prices the images that came: by the reported cost of each call that brought any, else by the list. An answer
 * without an image is free, whatever it cost. Source: spec, billing rule 1; decision 0022 (prices of media).
 */
export function chargeImages(target: ImageTarget, call: ImageCall, answers: readonly UpstreamImages[]): ImageCharge {
  const paid = answers.filter(({ renders }) => renders.length > 0)
  const settings = settingsUsed(call, paid)
  const unreported = paid.filter(({ cost }) => cost === null)
  if (unreported.length === paid.length) {
    const variant = variantOf(settings)
    return {
      charge: chargeMedia({ lines: linesOf(target, call, paid, settings), reportedCost: null, variant }),
      estimated: false,
    }
  }
  const listed = unreported.length === 0 ? 0n : listMediaCost(linesOf(target, call, unreported, settings))
  const reportedCost = attoUsdOf(paid.reduce((sum, answer) => sum + (shareOfCost(answer) ?? 0n), listed))
  const estimated = unreported.length > 0
  return {
    charge: chargeMedia({ lines: linesOf(target, call, paid, settings), reportedCost, estimated }),
    estimated,
  }
}

function linesOf(
  { offer }: ImageTarget,
  { inputs }: ImageCall,
  answers: readonly UpstreamImages[],
  settings: RenderSettings,
): [MediaLine, ...MediaLine[]] {
  const { prices } = offer
  const renders = answers.reduce((sum, answer) => sum + answer.renders.length, 0)
  const lines: [MediaLine, ...MediaLine[]] = [
    { unit: 'images', quantity: renders, perUnit: likelyImageRate(prices, settings) },
  ]
  if (prices.perInputImage !== null && inputs.length > 0) {
    lines.push({ unit: 'input_images', quantity: inputs.length * answers.length, perUnit: prices.perInputImage })
  }
  if (prices.perRequest !== null) {
    lines.push({ unit: 'requests', quantity: answers.length, perUnit: prices.perRequest })
  }
  return lines
}

/** What the upstream says that it used goes before what was asked. */
function settingsUsed({ settings }: ImageCall, answers: readonly UpstreamImages[]): RenderSettings {
  const used = answers[0]?.used
  const size = used?.size ?? null
  return {
    size: size ?? settings.size,
    resolution: size === null ? settings.resolution : null,
    quality: used?.quality ?? settings.quality,
  }
}

function variantOf(settings: RenderSettings): Record<string, string> {
  const named = Object.entries(settings).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries(named)
}

/** What the usage record counts of all calls. */
export function tokensOfImages(answers: readonly UpstreamImages[]): CountedTokens {
  const usages = answers.flatMap(({ usage }) => usage ?? [])
  if (usages.length === 0) return {}
  return {
    promptTokens: usages.reduce((sum, usage) => sum + usage.inputTokens, 0),
    completionTokens: usages.reduce((sum, usage) => sum + usage.outputTokens, 0),
  }
}

/** The part of a call's cost that belongs to the images that came, rounded up; null where its cost is not known. */
export function shareOfCost({ cost, renders, answered }: UpstreamImages): AttoUsd | null {
  if (cost === null || renders.length >= answered) return cost
  const [came, made] = [BigInt(renders.length), BigInt(answered)]
  return attoUsdOf((cost * came + made - 1n) / made)
}
