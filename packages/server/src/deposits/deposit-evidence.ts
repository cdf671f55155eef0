import type { ChainTransfer, Finality } from '../chain/chain-facts.ts'
import type { ChainReader, ChainView } from '../chain/chain-reader.ts'
import type { ChainId, Hex } from '../chain/assets.ts'
import type { Deposit } from './deposit.ts'

/** What one provider says about a deposit now. */
export interface Testimonial {
  readonly provider: string
  /** Why it says nothing; null where it does. */
  readonly problem: string | null
  /** The state of the transaction on the chain; null where the provider says nothing. */
  readonly state: 'unknown' | 'unmined' | 'displaced' | 'reverted' | 'mined' | null
  readonly finality: Finality | null
  readonly block: { readonly number: number; readonly hash: Hex; readonly time: number } | null
  /** The transfer that the deposit was recorded for; null where the transaction holds none at its place. */
  readonly transfer: ChainTransfer | null
  /** Whether block, sender, receiver, asset and amount are the recorded ones. */
  readonly isAsRecorded: boolean
  /** USD for one unit at its block; null where it knows no price. */
  readonly price: string | null
}

/** A balance that was found without a transaction has none to ask for. */
const BALANCE = /^balance:/

/**
 * Asks every provider of the chain about a deposit: what an operator weighs before they decide. Nothing changes by it.
 *
 * @returns null where no node can be asked: the chain is not watched, or no transaction is known.
 */
export async function findEvidence(
  chains: ReadonlyMap<ChainId, ChainReader>,
  deposit: Deposit,
): Promise<readonly Testimonial[] | null> {
  const reader = chains.get(deposit.chainId)
  if (reader === undefined || BALANCE.test(deposit.ordinal)) return null
  const answers = await reader.askEach((view) => askAbout(view, deposit))
  return answers.map(({ provider, answer, problem }) =>
    answer === null ? { ...SILENT, provider, problem } : { ...answer, provider, problem: null },
  )
}

type Words = Omit<Testimonial, 'provider' | 'problem'>

const SILENT: Words = {
  state: null,
  finality: null,
  block: null,
  transfer: null,
  isAsRecorded: false,
  price: null,
}

async function askAbout(view: ChainView, deposit: Deposit): Promise<Words> {
  const head = await view.readHead()
  const facts = await view.readTransaction(deposit.txHash, head, 'always')
  if (facts.kind !== 'mined') {
    const block = facts.kind === 'reverted' ? facts.block : null
    return { ...SILENT, state: facts.kind, block, finality: facts.kind === 'reverted' ? facts.finality : null }
  }
  const transfer = facts.transfers.find(({ ordinal }) => ordinal === deposit.ordinal) ?? null
  const price = await view.findPrice(deposit.asset, facts.block, head)
  return {
    ...{ state: 'mined', finality: facts.finality, block: facts.block, transfer },
    isAsRecorded: transfer !== null && facts.block.hash === deposit.blockHash && isRecorded(transfer, deposit),
    price: price?.usd ?? null,
  }
}

function isRecorded({ asset, from, to, amount }: ChainTransfer, deposit: Deposit): boolean {
  const isSender = deposit.sender === null || from === deposit.sender
  return asset === deposit.asset && isSender && to === deposit.address && amount === deposit.amount
}
