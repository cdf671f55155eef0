/** `svc deposit wallets`: wallets whose payments belong to the account, where all pay to one address. */
import {
  type Exact,
  type LinkedWalletBody,
  walletSignatureForm,
  walletAddressForm,
  linkedWalletIdForm,
} from '@svc/contract'
import { checkArgument } from '../check-argument.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { printJson } from '../print-json.ts'
import { printTable } from '../terminal/print-table.ts'
import { readPipedText } from '../terminal/read-input.ts'
import { timeText } from './usage.ts'

type Wallet = Exact<LinkedWalletBody>

export async function listWallets(context: Context): Promise<void> {
  const { client, endpoints } = await context.api()
  const { terminal } = context
  const list = await client.call(endpoints.listWallets, {}, { signal: terminal.signal })
  if (context.options.json === true) {
    await printJson(terminal.out, list)
    return
  }
  if (list.data.length === 0) {
    await terminal.notes.line('No wallets: `svc deposit wallets challenge ADDRESS` begins to link one.')
    return
  }
  await printTable<Wallet>(terminal.out, list.data, [
    { title: 'WALLET', cell: (wallet) => wallet.address },
    { title: 'CHAIN', cell: (wallet) => String(wallet.chainId), dropAt: 1 },
    { title: 'LINKED', cell: (wallet) => timeText(wallet.linked), dropAt: 2 },
    { title: 'UNLINKED', cell: ({ unlinked }) => (unlinked === null ? '' : timeText(unlinked)) },
    { title: 'ID', cell: (wallet) => wallet.id, dropAt: 3 },
  ])
}

export interface ChallengeOptions {
  readonly chain: 4663 | 46630
}

/** Prints the message exactly, so that it can be piped into a wallet's program. */
export async function challengeWallet(context: Context, address: string, { chain }: ChallengeOptions): Promise<void> {
  checkArgument(walletAddressForm, address, 'address')
  const { client, endpoints } = await context.api()
  const { terminal } = context
  const body = { address, chainId: chain }
  const challenge = await client.call(endpoints.challengeWallet, { body }, { signal: terminal.signal })
  if (context.options.json === true) {
    await printJson(terminal.out, challenge)
    return
  }
  await terminal.out.text(challenge.message)
  if (terminal.out.isTerminal) await terminal.out.text('\n')
  if (context.options.quiet === true) return
  const gap = terminal.out.isTerminal ? '\n' : ''
  await terminal.notes.line(
    `${gap}Sign this with the wallet until ${timeText(challenge.expires)}, and link it: ` +
      'svc deposit wallets link SIGNATURE < message',
  )
}

/** The message comes from a pipe, byte for byte: one that was changed on the way is signed for nothing. */
export async function linkWallet(context: Context, signature: string): Promise<void> {
  checkArgument(walletSignatureForm, signature, 'signature')
  const { terminal } = context
  const message = await readPipedText(terminal.input)
  if (message === null) {
    throw new CommandError('There is no message.', {
      advice: 'Pipe the message of the challenge: svc deposit wallets link SIGNATURE < message',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const { client, endpoints } = await context.api()
  // An editor or `echo` ends a text with a line feed, which no challenge has.
  const body = { message: message.replace(/\r?\n$/, ''), signature }
  const wallet = await client.call(endpoints.linkWallet, { body }, { signal: terminal.signal })
  if (context.options.json === true) {
    await printJson(terminal.out, wallet)
    return
  }
  await terminal.out.line(`${wallet.address} is linked: what it pays on chain ${wallet.chainId} is yours. ${wallet.id}`)
}

/** Takes an id, or the address of a wallet that is linked once. */
export async function unlinkWallet(context: Context, wallet: string): Promise<void> {
  const isAddress = wallet.startsWith('0x')
  if (isAddress) checkArgument(walletAddressForm, wallet, 'address')
  else checkArgument(linkedWalletIdForm, wallet, 'id')
  const { client, endpoints } = await context.api()
  const { terminal } = context
  const call = { signal: terminal.signal }
  const id = isAddress ? await idOf(context, wallet) : wallet
  const reply = await client.call(endpoints.unlinkWallet, { path: { wallet_id: id } }, call)
  if (context.options.json === true) await printJson(terminal.out, reply)
  else await terminal.out.line(`${wallet} is unlinked. Its future payments are not credited.`)
}

async function idOf(context: Context, address: string): Promise<string> {
  const { client, endpoints } = await context.api()
  const { data } = await client.call(endpoints.listWallets, {}, { signal: context.terminal.signal })
  const found = data.filter((each) => each.unlinked === null && each.address.toLowerCase() === address.toLowerCase())
  const [only] = found
  if (only !== undefined && found.length === 1) return only.id
  throw new CommandError(found.length === 0 ? `${address} is not linked.` : `${address} is linked on several chains.`, {
    advice: '`svc deposit wallets` lists the ids.',
  })
}
