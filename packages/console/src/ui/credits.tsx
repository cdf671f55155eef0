import { formatUsd, nanocreditsFrom, shortDecimal, type DecimalText } from '@svc/contract'

/** An amount: at most six significant digits, the exact number on hover, dollars beside it in a lighter tone. */
export function Credits({ value, withUsd = false }: { readonly value: DecimalText; readonly withUsd?: boolean }) {
  const unit = value === '1' ? 'credit' : 'credits'
  return (
    <span className="figures whitespace-nowrap" title={`${value} ${unit}`}>
      {shortDecimal(value)} <span className="text-soft">{unit}</span>
      {withUsd && <span className="ml-2 text-soft">${shortDecimal(formatUsd(nanocreditsFrom(value)))}</span>}
    </span>
  )
}
