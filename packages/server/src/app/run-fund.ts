/** Pays the demo account on a local chain, as a wallet would, and claims the payment. Part of the composition. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pauseFor } from 'node:timers/promises'
import { shortBalance, shortDecimal } from '@svc/contract'
import { request } from 'undici'
import { ASSET_DECIMALS } from '../chain/assets.ts'
import { parseAmount } from '../chain/parse-amount.ts'
import { ConfigError } from '../config/config-error.ts'
import { CHAINS_FOLDER, dataFolderOf } from '../config/data-folder.ts'
import { readSettings } from '../config/load-config.ts'
import { loadSandbox } from './load-sandbox.ts'
import {
  flag,
  oneOf,
  parseProgram,
  type Program,
  type ProgramOption,
  refuseValue,
} from '../platform/runtime/program-options.ts'

export interface FundOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (line: string) => void
  readonly printError: (line: string) => void
}

/** A mistake or a missing part, described in a sentence. */
class FundError extends Error {}

/** How long a payment may take to be credited, in milliseconds. */
const CREDIT_MAX_MS = 90_000
/** How long the gateway may take to add a chain that runs, in milliseconds. */
const PLACE_MAX_MS = 30_000
/** A key may claim ten times a minute. */
const CLAIM_PAUSE_MS = 7_000
const FOLLOW_PAUSE_MS = 500
const WRONG_USAGE = 2

/** An amount that is paid at most has so many digits before the point. Source: own choice. */
const PAYABLE = /^\d{1,9}(?:\.|$)/

interface Amount {
  /** As it was typed. */
  readonly text: string
  /** Smallest units. */
  readonly units: bigint
}

const AMOUNT_USUAL: Amount = { text: '25', units: 25_000_000n }

/** An amount of an asset, exact; null where it is not given. */
function amountOption(asset: Payment['asset'], help: string): ProgramOption<Amount | null> {
  const rule = `Give an amount above 0 with at most ${ASSET_DECIMALS[asset]} decimals, such as 25 or 0.01.`
  return {
    ...{ help, takes: 'amount', otherwise: null },
    parse(text) {
      const units = PAYABLE.test(text) ? parseAmount(text, asset) : null
      return units !== null && units > 0n ? { text, units } : refuseValue(rule)
    },
  }
}

const options = {
  usdg: { ...amountOption('USDG', 'how much USDG'), otherwiseText: AMOUNT_USUAL.text },
  eth: amountOption('ETH', 'how much ETH, instead of USDG'),
  chain: oneOf(['4663', '46630'], { help: 'on which local chain' }),
  'no-claim': flag({ help: 'only pay, and say how the payment is claimed' }),
} as const

const program: Program<typeof options> = {
  name: 'npm run fund --',
  does: 'Pays the demo account of the running sandbox on a local chain and waits until the deposit is credited.',
  options,
}

/** Runs the command. @returns the exit code: 1 when it could not be done, 2 for a wrong command line. */
export async function runFund(words: readonly string[], options: FundOptions): Promise<number> {
  const line = parseProgram(program, words, options)
  if (line.kind === 'end') return line.exitCode
  const { usdg, eth, chain, 'no-claim': isNotClaimed } = line.values
  if (usdg !== null && eth !== null) {
    options.printError('error: --usdg and --eth are both given; give one of them.')
    return WRONG_USAGE
  }
  try {
    await fund(
      {
        chainId: chain === '4663' ? 4663 : 46630,
        asset: eth === null ? 'USDG' : 'ETH',
        amount: eth ?? usdg ?? AMOUNT_USUAL,
        isClaimed: !isNotClaimed,
      },
      options,
    )
    return 0
  } catch (error) {
    if (!(error instanceof FundError || error instanceof ConfigError)) throw error
    options.printError(`error: ${error.message}`)
    return 1
  }
}

interface Payment {
  readonly chainId: 4663 | 46630
  readonly asset: 'USDG' | 'ETH'
  readonly amount: Amount
  readonly isClaimed: boolean
}

async function fund(payment: Payment, { env, print }: FundOptions): Promise<void> {
  const workingDir = process.cwd()
  const { environment } = readSettings({ env, workingDir })
  const dataDir = dataFolderOf(environment, [], workingDir)
  const origin = `http://localhost:${environment.SVC_PORT}`
  const noKey = `There is no demo key in ${dataDir}: start the sandbox with "npm start", or name its folder in SVC_DATA_DIR.`
  const key = await readOr(join(dataDir, 'demo-key'), noKey)
  const noChain =
    'No local chain is running: it starts some seconds after "npm start", if @foundry-rs/anvil is installed.'
  const url = await readOr(join(dataDir, CHAINS_FOLDER, `${payment.chainId}.url`), noChain)
  const { address, minimumUsd } = await findAddress(origin, key, payment.chainId)
  print(`Address    ${address} on chain ${payment.chainId}`)
  const txHash = await pay(url, address, payment)
  print(`Paid       ${payment.amount.text} ${payment.asset} in ${txHash}`)
  if (!payment.isClaimed) {
    const options = `--asset ${payment.asset} --chain ${payment.chainId}`
    print(`Claim it   npm run --silent svc -- deposit claim ${txHash} ${options}`)
    return
  }
  const claim = { txHash, asset: payment.asset, chainId: payment.chainId }
  const { credits } = await claimUntilCredited({ origin, key, print, minimumUsd }, claim)
  const balance = (await callApi({ origin, key }, '/api/v1/balance')) as { readonly credits: number }
  const [added, left] = [shortDecimal(String(credits)), shortBalance(String(balance.credits))]
  print(`Credited   ${added} credits; the balance is ${left} credits now`)
}

async function readOr(path: string, message: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch {
    throw new FundError(message)
  }
}

interface AddressReply {
  readonly minimum_usd: number
  readonly chains: readonly { readonly chainId: number; readonly address: string }[]
}

/** A chain runs a moment before the gateway takes deposits on it. */
async function findAddress(
  origin: string,
  key: string,
  chainId: number,
): Promise<{ readonly address: string; readonly minimumUsd: number }> {
  const until = performance.now() + PLACE_MAX_MS
  for (;;) {
    const reply = (await callApi({ origin, key }, '/api/deposits/address')) as AddressReply
    const found = reply.chains.find((chain) => chain.chainId === chainId)
    if (found !== undefined) return { address: found.address, minimumUsd: reply.minimum_usd }
    if (performance.now() > until) {
      throw new FundError(`The gateway takes no deposits on chain ${chainId} yet. Try again soon.`)
    }
    await pauseFor(FOLLOW_PAUSE_MS)
  }
}

/** Sends the payment and waits until it is in a block: a local chain makes one for each transaction. */
async function pay(url: string, address: string, { asset, amount: { units } }: Payment): Promise<string> {
  const { askNode, BANKER_ADDRESS, callContract, TOKEN_ADDRESS } = await loadSandbox()
  if (asset === 'ETH') {
    const value = `0x${units.toString(16)}`
    return String(await askNode(url, 'eth_sendTransaction', [{ from: BANKER_ADDRESS, to: address, value }]))
  }
  await callContract(url, TOKEN_ADDRESS, 'mint(address,uint256)', [BANKER_ADDRESS, units])
  return callContract(url, TOKEN_ADDRESS, 'transfer(address,uint256)', [address, units])
}

interface ClaimReply {
  /** Null while the transaction is in no block. */
  readonly id: string | null
  readonly status: string
  readonly reason?: string | null
}

interface DepositReply {
  readonly status: string
  readonly reason: string | null
  readonly credits: number
}

interface Api {
  readonly origin: string
  readonly key: string
}

/** Claims the payment, and then asks for the deposit: following one is no claim. */
async function claimUntilCredited(
  { print, minimumUsd, ...api }: Api & Pick<FundOptions, 'print'> & { readonly minimumUsd: number },
  claim: object,
): Promise<DepositReply> {
  const until = performance.now() + CREDIT_MAX_MS
  let id: string | null = null
  let told = ''
  while (performance.now() < until) {
    if (id === null) id = ((await callApi(api, '/api/deposits/claim', claim)) as ClaimReply).id
    const deposit = id === null ? null : ((await callApi(api, `/api/deposits/${id}`)) as DepositReply)
    if (deposit?.status === 'credited') return deposit
    const end = deposit === null ? null : whyEnded(deposit, { id, minimumUsd })
    if (end !== null) throw new FundError(end)
    const reason = deposit?.reason ?? 'unmined'
    if (reason !== told) print(`Pending    ${reason}`)
    told = reason
    await pauseFor(id === null ? CLAIM_PAUSE_MS : FOLLOW_PAUSE_MS)
  }
  throw new FundError('The deposit is not credited yet. The gateway goes on without this command.')
}

/** Why waiting changes nothing; null while it may. */
function whyEnded(
  { status, reason }: DepositReply,
  { id, minimumUsd }: { readonly id: string | null; readonly minimumUsd: number },
): string | null {
  if (reason === 'below_minimum') {
    const minimum = shortDecimal(String(minimumUsd))
    return `The deposit is below the minimum of ${minimum} USD: it is kept, and credited once deposits reach that together.`
  }
  if (status === 'rejected') return 'The deposit was rejected by an operator.'
  if (status !== 'under_review' && reason !== 'under_review') return null
  return `An operator decides about the deposit: see "npm run admin -- deposits show ${id}".`
}

async function callApi({ origin, key }: Api, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const call = body === undefined ? { method: 'GET' as const } : { method: 'POST' as const, body: JSON.stringify(body) }
  let reply
  try {
    reply = await request(`${origin}${path}`, { ...call, headers })
  } catch {
    throw new FundError(`The gateway does not answer at ${origin}. Start it with "npm start", or set SVC_PORT.`)
  }
  const answer = (await reply.body.json()) as { readonly error?: { readonly message?: string; readonly code?: string } }
  if (reply.statusCode !== 200)
    throw new FundError(`The gateway answered ${reply.statusCode}: ${answer.error?.message}`)
  return answer
}
