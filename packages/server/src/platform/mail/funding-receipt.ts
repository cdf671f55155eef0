import { formatCredits, formatUsd, type Nanocredits, trimEndOf, groupDigits, usdShown } from '@svc/contract'
import { dateText, type EmailRow, renderEmail } from './email.ts'
import type { MailContent } from './mailer.ts'

/** What a funding receipt says. Every word of it comes from the gateway's own records. */
export interface FundingReceipt {
  /** What the gateway is called. */
  readonly brand: string
  readonly depositId: string
  readonly asset: string
  /** Exact decimal of the asset, such as `25.000000`. */
  readonly amount: string
  readonly credits: Nanocredits
  /** US dollars of one ether at the deposit's block, as decimal text; null for a stablecoin. */
  readonly price: string | null
  /** Name of the chain, with what its coins are where they are test money. */
  readonly network: string
  readonly transactionHash: string
  /** Milliseconds since the epoch. */
  readonly creditedAt: number
  /** Page of the console that shows credits and deposits. */
  readonly link: string
}

/** Writes the email. Pure; the same receipt gives the same email. */
export function renderFundingReceipt(receipt: FundingReceipt): MailContent {
  const credits = groupDigits(formatCredits(receipt.credits))
  return renderEmail({
    subject: `Funding receipt: ${credits} credits added`,
    kind: `Funding receipt from ${receipt.brand}`,
    title: `${credits} credits added`,
    preview: `${credits} credits were added.`,
    summary: `Your ${receipt.asset} deposit was credited: ${credits} credits were added to your account.`,
    rows: rowsOf(receipt),
    button: { text: 'Show credits and deposits', link: receipt.link },
    note: '1 USD is 1,000 credits. Credits do not expire.',
    reason:
      'This receipt was asked for with an API key of the account that the deposit belongs to. ' +
      'If you want no such emails, answer this one and say so.',
  })
}

function rowsOf(receipt: FundingReceipt): readonly EmailRow[] {
  const { asset, price } = receipt
  return [
    { label: 'Deposited', value: `${groupDigits(trimZeros(receipt.amount))} ${asset}` },
    { label: 'Value', value: usdShown(formatUsd(receipt.credits), 'exact') },
    ...(price === null ? [] : [{ label: 'Rate', value: `1 ${asset} = ${usdShown(price, 'exact')}` }]),
    { label: 'Credits', value: groupDigits(formatCredits(receipt.credits)) },
    { label: 'Credited', value: dateText(receipt.creditedAt) },
    { label: 'Network', value: receipt.network },
    { label: 'Transaction', value: receipt.transactionHash, isId: true },
    { label: 'Deposit', value: receipt.depositId, isId: true },
  ]
}

function trimZeros(decimal: string): string {
  return decimal.includes('.') ? trimEndOf(trimEndOf(decimal, '0'), '.') : decimal
}
