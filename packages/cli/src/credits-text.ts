/** Money as people read it. The exact digits are in `--json`. */
import {
  formatCredits,
  formatUsd,
  nanocreditsFrom,
  shortDecimal,
  usdShown,
  type DecimalText,
  type Nanocredits,
} from '@svc/contract'

/** Credits with their unit: "12.5 credits". */
export function creditsText(text: DecimalText): string {
  const short = shortDecimal(text)
  return short === '1' ? '1 credit' : `${short} credits`
}

export function creditsTextOf(amount: Nanocredits): string {
  return creditsText(formatCredits(amount))
}

/** The same amount in US dollars: "$0.0125", "$2.50". */
export function usdText(credits: DecimalText): string {
  return usdShown(formatUsd(nanocreditsFrom(credits)))
}
