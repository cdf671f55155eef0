import { formatUsd, nanocreditsFrom, shortBalance, shortDecimal, type DecimalText, usdShown } from '@svc/contract'
import type { ClipboardEvent } from 'react'

interface CreditsProps {
  readonly value: DecimalText
  readonly withUsd?: boolean
  /** False where a table's head says it. */
  readonly withUnit?: boolean
  /** True for a balance: it is rounded down. */
  readonly isBalance?: boolean
}

/**
 * An amount: at most six significant digits, the exact number on hover, dollars beside it in a lighter tone. Copied
 * alone, it is exact.
 */
export function Credits({ value, withUsd = false, withUnit = true, isBalance = false }: CreditsProps) {
  const short = isBalance ? shortBalance : shortDecimal
  const unit = value === '1' ? 'credit' : 'credits'
  return (
    <span className="figures" title={`${value} ${unit}`} onCopy={(event) => copyExact(event, value)}>
      <span className="whitespace-nowrap">
        {short(value)}
        {withUnit && <span className="text-soft"> {unit}</span>}
      </span>
      {withUsd && (
        <>
          {' '}
          <span className="ml-1 whitespace-nowrap text-soft">{usdText(value, isBalance)}</span>
        </>
      )}
    </span>
  )
}

/** Such as $2.50, rounded as the credits beside it are. */
export function usdText(credits: DecimalText, isBalance = false): string {
  return usdShown(formatUsd(nanocreditsFrom(credits)), isBalance ? 'down' : 'half_up')
}

/** Puts the exact number where the shown one was selected; a selection that goes beyond it is left as it is. */
function copyExact(event: ClipboardEvent<HTMLElement>, value: DecimalText): void {
  const selection = getSelection()
  const { currentTarget: own } = event
  if (selection === null || !own.contains(selection.anchorNode) || !own.contains(selection.focusNode)) return
  event.clipboardData.setData('text/plain', value)
  event.preventDefault()
}

interface UsdProps {
  readonly value: DecimalText
  /** As for credits. */
  readonly isBalance?: boolean
}

/** An amount of credits in dollars. */
export function Usd({ value, isBalance = false }: UsdProps) {
  return (
    <span className="figures whitespace-nowrap" title={usdShown(formatUsd(nanocreditsFrom(value)), 'exact')}>
      {usdText(value, isBalance)}
    </span>
  )
}
