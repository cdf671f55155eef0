import { formatUsd, nanocreditsFrom, shortDecimal, type DecimalText } from '@svc/contract'

interface CreditsProps {
  readonly value: DecimalText
  readonly withUsd?: boolean
  /** False where a table's head says it. */
  readonly withUnit?: boolean
}

/** An amount: at most six significant digits, the exact number on hover, dollars beside it in a lighter tone. */
export function Credits({ value, withUsd = false, withUnit = true }: CreditsProps) {
  const unit = value === '1' ? 'credit' : 'credits'
  return (
    <span className="figures" title={`${value} ${unit}`}>
      <span className="whitespace-nowrap">
        {shortDecimal(value)}
        {withUnit && <span className="text-soft"> {unit}</span>}
      </span>
      {withUsd && (
        <>
          {' '}
          <span className="ml-1 whitespace-nowrap text-soft">${dollarText(formatUsd(nanocreditsFrom(value)))}</span>
        </>
      )}
    </span>
  )
}

/** Such as 2.50: a part of a dollar has two digits at least. */
function dollarText(dollars: DecimalText): string {
  return shortDecimal(dollars).replace(/\.\d$/, '$&0')
}

/** An amount of credits in dollars. */
export function Usd({ value }: { readonly value: DecimalText }) {
  const dollars = formatUsd(nanocreditsFrom(value))
  return (
    <span className="figures whitespace-nowrap" title={`${dollars} USD`}>
      ${dollarText(dollars)}
    </span>
  )
}
