import { formatCredits, formatUsd, type Nanocredits } from '@svc/contract'
import { escapeHtml } from './escape-html.ts'
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
  readonly chainName: string
  readonly isTestnet: boolean
  readonly transactionHash: string
  /** Milliseconds since the epoch. */
  readonly creditedAt: number
  /** Page of the console that shows credits and deposits. */
  readonly link: string
}

/** Writes the letter. Pure; the same receipt gives the same letter. */
export function renderFundingReceipt(receipt: FundingReceipt): MailContent {
  const credits = groupDigits(formatCredits(receipt.credits))
  const rows = rowsOf(receipt)
  return {
    subject: `Funding receipt: ${credits} credits added`,
    text: renderText(receipt, credits, rows),
    html: renderHtml(receipt, credits, rows),
  }
}

type Row = readonly [label: string, value: string]

function rowsOf(receipt: FundingReceipt): readonly Row[] {
  const { asset, price } = receipt
  return [
    ['Deposited', `${groupDigits(trimZeros(receipt.amount))} ${asset}`],
    ['Value', `${groupDigits(formatUsd(receipt.credits))} USD`],
    ...(price === null ? [] : [['Rate', `1 ${asset} = ${groupDigits(price)} USD`] as const]),
    ['Credits', groupDigits(formatCredits(receipt.credits))],
    ['Credited', dateText(receipt.creditedAt)],
    ['Network', receipt.isTestnet ? `${receipt.chainName} (test network)` : receipt.chainName],
    ['Transaction', receipt.transactionHash],
    ['Deposit', receipt.depositId],
  ]
}

const CREDITS_NOTE = '1 USD is 1,000 credits. Credits do not expire.'
const REASON =
  'This receipt was asked for with an API key of the account that the deposit belongs to. ' +
  'If you want no such letters, answer this one and say so.'

function renderText({ link, asset, brand }: FundingReceipt, credits: string, rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([label]) => label.length))
  const table = rows.map(([label, value]) => `${label.padEnd(width)}  ${value}`)
  return [
    `Funding receipt from ${brand}`,
    '',
    `Your ${asset} deposit was credited: ${credits} credits were added to your account.`,
    '',
    ...table,
    '',
    `Credits and deposits: ${link}`,
    '',
    CREDITS_NOTE,
    '',
    '-- ',
    REASON,
    '',
  ].join('\n')
}

/** Colours for light and for dark surroundings; mail programs that know no media queries show the light ones. */
const STYLE = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (prefers-color-scheme: dark) {
    .page { background: #14161a !important; }
    .card { background: #1d2025 !important; border-color: #31363e !important; }
    .strong { color: #f3f4f6 !important; }
    .plain { color: #d3d7de !important; }
    .faint { color: #9aa3b0 !important; }
    .line { border-color: #31363e !important; }
    .button { background: #e8eaee !important; color: #14161a !important; }
  }
  @media (max-width: 480px) {
    .inner { padding: 24px 20px !important; }
    .cell { display: block !important; width: 100% !important; box-sizing: border-box; }
    .label { padding-bottom: 0 !important; border-bottom: 0 !important; }
    .value { padding-top: 2px !important; text-align: left !important; }
  }`

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const MONO = 'font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px'

function renderRow([label, value]: Row): string {
  const isId = label === 'Transaction' || label === 'Deposit'
  const line = 'border-bottom:1px solid #e6e8ec;padding:10px 0;vertical-align:top'
  return (
    `<tr><td class="cell label line faint" style="${line};color:#667085;width:112px">${escapeHtml(label)}</td>` +
    `<td class="cell value line plain" style="${line};color:#1f2430;text-align:right;word-break:break-all` +
    `${isId ? `;${MONO}` : ''}">${escapeHtml(value)}</td></tr>`
  )
}

function renderHtml({ asset, link, brand }: FundingReceipt, credits: string, rows: readonly Row[]): string {
  const summary = `Your ${asset} deposit was credited.`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Funding receipt</title>
<style>${STYLE}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7;${FONT};font-size:15px;line-height:1.5">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(`${credits} credits were added.`)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f4f5f7">
<tr><td align="center" style="padding:24px 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0"
  style="max-width:560px;background:#ffffff;border:1px solid #e6e8ec;border-radius:12px">
<tr><td class="inner" style="padding:32px 36px">
<p class="faint" style="margin:0 0 4px;color:#667085">${escapeHtml(`Funding receipt from ${brand}`)}</p>
<p class="strong" style="margin:0;color:#12151c;font-size:28px;line-height:1.25;font-weight:600">${escapeHtml(credits)}
credits added</p>
<p class="plain" style="margin:8px 0 20px;color:#1f2430">${escapeHtml(summary)}</p>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="border-collapse:collapse">
${rows.map(renderRow).join('\n')}
</table>
<p style="margin:24px 0 0"><a class="button" href="${escapeHtml(link)}"
  style="display:inline-block;background:#12151c;color:#ffffff;text-decoration:none;padding:10px 18px;border-radius:8px"
>Show credits and deposits</a></p>
<p class="faint" style="margin:24px 0 0;color:#667085;font-size:13px">${CREDITS_NOTE}</p>
</td></tr></table>
<p class="faint" style="max-width:520px;margin:16px auto 0;color:#667085;font-size:12px">${REASON}</p>
</td></tr></table>
</body>
</html>
`
}

/** Sets commas between thousands: `26234.5` is `26,234.5`. */
function groupDigits(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.')
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

function trimZeros(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal
}

/** `2026-11-28 03:05 UTC`: the same for every reader. */
function dateText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
