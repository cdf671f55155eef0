/** `svc deposit`: where to pay, and what came of it. */
import {
  transactionHashForm,
  type ClaimReply,
  type DepositAddressReply,
  type DepositBody,
  type Exact,
  shortDecimal,
} from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { checkArgument } from '../check-argument.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { creditsText } from '../credits-text.ts'
import { printJson } from '../print-json.ts'
import { pendingText } from '../deposits/pending-text.ts'
import { pause } from '../terminal/pause.ts'
import { printTable } from '../terminal/print-table.ts'
import { timeText } from './usage.ts'

export interface AddressOptions {
  readonly chain?: number | undefined
  readonly asset?: 'USDG' | 'ETH' | undefined
  readonly qr?: boolean | undefined
}

export async function depositAddress(context: Context, options: AddressOptions): Promise<void> {
  const { client, endpoints } = await context.api()
  const { terminal } = context
  const reply = await client.call(endpoints.getDepositAddress, {}, { signal: terminal.signal })
  if (context.options.json === true) {
    await printJson(terminal.out, reply)
    return
  }
  const chains = reply.chains.filter(({ chainId }) => options.chain === undefined || chainId === options.chain)
  if (chains.length === 0) throw new CommandError('This gateway takes no deposits there.')
  // One code fits a window, and a camera finds the one that is meant.
  const isOne = chains.length === 1
  for (const chain of chains) await printChain(context, chain, { ...options, qr: isOne ? options.qr : false })
  if (!isOne && options.qr !== false && terminal.out.isTerminal) {
    await terminal.notes.line('With --chain there is a code to scan.')
  }
  const unlinked = reply.mode === 'wallet' ? ' Only payments from a linked wallet count.' : ''
  await terminal.notes.line(
    `At least $${shortDecimal(reply.minimum_usd)}. Compare the whole address before you pay.${unlinked}`,
  )
  if (chains.some(({ local }) => local)) await terminal.notes.line('Test money pays there: `npm run fund`.')
}

/** A gateway of an earlier version does not say which chains are its own. */
function kindOf({ local }: { readonly local?: boolean }): string {
  return local === true ? 'local chain of the sandbox' : 'test network'
}

async function printChain(
  { terminal }: Context,
  chain: Exact<DepositAddressReply>['chains'][number],
  options: AddressOptions,
): Promise<void> {
  const mark = chain.testnet ? ` (${kindOf(chain)}: takes test money only)` : ''
  const assets = chain.assets.filter(({ asset }) => options.asset === undefined || asset === options.asset)
  await terminal.out.line(`${chain.address}  ${chain.name}${mark}: ${assets.map(({ asset }) => asset).join(', ')}`)
  const [first] = assets
  if (first === undefined || options.qr === false || !terminal.out.isTerminal) return
  const { renderUnicodeCompact } = await import('uqr')
  await terminal.out.line(renderUnicodeCompact(first.uri))
}

export interface ClaimOptions {
  readonly asset: 'USDG' | 'ETH'
  readonly chain: 4663 | 46630
  readonly wait: boolean
}

/**
 * The longest time between two looks, in seconds. The gateway names how long such a wait usually is; a look costs
 * little, and the watcher is often quicker.
 */
const WAIT_SECONDS = 5

/** Claims, and asks again until it is credited: each time is the same claim. */
export async function claimDeposit(context: Context, hash: string, options: ClaimOptions): Promise<void> {
  checkArgument(transactionHashForm, hash, 'transaction')
  const api = await context.api()
  const { terminal } = context
  let told: string | null = null
  for (;;) {
    const { claim, waitSeconds } = await claimOnce(context, api, hash, options)
    if (claim.status !== 'pending' || !options.wait) {
      await printClaim(context, claim)
      return
    }
    const text = pendingText(claim.reason, claim.eta_seconds)
    if (text !== told && context.options.quiet !== true) await terminal.notes.line(text)
    told = text
    await pause(waitSeconds, terminal.signal)
  }
}

async function claimOnce(context: Context, { client, endpoints }: ApiConnection, hash: string, options: ClaimOptions) {
  let waitSeconds = WAIT_SECONDS
  const body = { txHash: hash, asset: options.asset, chainId: options.chain }
  const claim = await client.call(
    endpoints.claimDeposit,
    { body },
    {
      signal: context.terminal.signal,
      onResponse: ({ headers }) => {
        const asked = Number(headers.get('retry-after') ?? WAIT_SECONDS)
        waitSeconds = Number.isFinite(asked) ? Math.min(WAIT_SECONDS, Math.max(1, asked)) : WAIT_SECONDS
      },
    },
  )
  return { claim, waitSeconds }
}

async function printClaim({ terminal, options }: Context, claim: Exact<ClaimReply>): Promise<void> {
  if (options.json === true) await printJson(terminal.out, claim)
  else if (claim.status === 'credited') {
    const credits = claim.credits === null ? 'Credits' : creditsText(claim.credits)
    const again = claim.already_claimed ? ' (already before)' : ''
    await terminal.out.line(`${credits} credited${again}. Balance: ${creditsText(claim.balance)}.`)
  } else await terminal.out.line(pendingText(claim.reason, claim.eta_seconds))
  if (claim.status === 'rejected') throw new CommandError('The operator has decided against this deposit.')
}

export async function listDeposits(context: Context, options: { readonly limit?: number | undefined }): Promise<void> {
  const { client, endpoints } = await context.api()
  const { terminal } = context
  const query = options.limit === undefined ? {} : { limit: options.limit }
  const list = await client.call(endpoints.listDeposits, { query }, { signal: terminal.signal })
  if (context.options.json === true) {
    await printJson(terminal.out, list)
    return
  }
  if (list.data.length === 0) {
    await terminal.notes.line('No deposits yet: `svc deposit address` shows where to pay.')
    return
  }
  await printTable<Exact<DepositBody>>(terminal.out, list.data, [
    { title: 'WHEN', cell: (deposit) => timeText(deposit.created) },
    { title: 'AMOUNT', cell: (deposit) => `${deposit.amount} ${deposit.asset}`, align: 'right' },
    { title: 'CREDITS', cell: ({ credits }) => (credits === null ? '' : shortDecimal(credits)), align: 'right' },
    { title: 'STATUS', cell: (deposit) => deposit.reason ?? deposit.status },
    { title: 'CHAIN', cell: (deposit) => String(deposit.chainId), dropAt: 1 },
    { title: 'TRANSACTION', cell: (deposit) => deposit.txHash, shrinkTo: 12, dropAt: 2 },
  ])
}
