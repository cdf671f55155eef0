import type { Hex } from './assets.ts'
import type { ChainTransfer, ForeignTransfer } from './chain-facts.ts'
import type { RpcLog } from './rpc-forms.ts'

/** The hash of `Transfer(address,address,uint256)`. Source: ERC-20. */
export const TRANSFER_TOPIC: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const WORD_DIGITS = 2 + 64
const ADDRESS_PADDING = '0x' + '0'.repeat(24)

export interface TokenTransfers {
  readonly transfers: readonly ChainTransfer[]
  /** Transfers in events of other contracts: fakes, other tokens. An event of four topics is no ERC-20 transfer. */
  readonly foreign: readonly ForeignTransfer[]
}

/**
 * Reads the token's transfers from the logs of one transaction. Only the contract that is pinned counts, whatever name
 * others give themselves.
 *
 * @param logs all logs of the transaction, in their order: the ordinal is the place in it.
 */
export function readTokenTransfers(token: Hex, logs: readonly RpcLog[]): TokenTransfers {
  const transfers: ChainTransfer[] = []
  const foreign: ForeignTransfer[] = []
  for (const [at, { address, topics, data }] of logs.entries()) {
    const [topic, fromTopic, toTopic] = topics
    if (topic !== TRANSFER_TOPIC || topics.length !== 3 || data.length !== WORD_DIGITS) continue
    const from = addressFrom(fromTopic)
    const to = addressFrom(toTopic)
    if (from === null || to === null) continue
    const amount = BigInt(data)
    if (address !== token) foreign.push({ token: address, to })
    else if (amount > 0n && from !== to) transfers.push({ asset: 'USDG', ordinal: `log:${at}`, from, to, amount })
  }
  return { transfers, foreign }
}

/** An address as a topic: twelve bytes of zero before it. */
export function topicOf(address: Hex): Hex {
  return `${ADDRESS_PADDING}${address.slice(2)}` as Hex
}

function addressFrom(topic: Hex | undefined): Hex | null {
  return topic?.startsWith(ADDRESS_PADDING) === true ? `0x${topic.slice(ADDRESS_PADDING.length)}` : null
}
