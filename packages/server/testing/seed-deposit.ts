import { ASSET_DECIMALS } from '../src/chain/assets.ts'
import type { Database } from '../src/platform/db/database.ts'
import { createDepositStore } from '../src/deposits/deposit-store.ts'
import type { SeenDeposit } from '../src/deposits/record-statement.ts'
import type { Deposit } from '../src/deposits/deposit.ts'
import { attoUsdOf, formatUsd } from '../src/pricing/usd.ts'
import { createId } from '../src/platform/runtime/ids.ts'

/** A hash or an address made of one repeated byte. */
export function hexOf(byte: number, bytes: number): `0x${string}` {
  return `0x${byte.toString(16).padStart(2, '0').repeat(bytes)}`
}

/** A transfer of 25 USDG on the main network, as it would be seen. */
export function seenDeposit(accountId: string, overrides: Partial<SeenDeposit> = {}): SeenDeposit {
  return {
    depositId: createId(Date.now()),
    accountId,
    chainId: 4663,
    txHash: hexOf(0xaa, 32),
    ordinal: 'log:0',
    asset: 'USDG',
    address: hexOf(0x11, 20),
    sender: hexOf(0x22, 20),
    amount: 25_000_000n,
    blockNumber: 100,
    blockHash: hexOf(0xbb, 32),
    blockTime: 1_700_000_000_000,
    ...overrides,
  }
}

/** Records a deposit and brings it to the point at which it may be credited: final, and worth so much. */
export async function seedReadyDeposit(
  database: Database,
  seen: SeenDeposit,
  credits = 25_000_000_000_000n,
): Promise<Deposit> {
  const store = createDepositStore(database)
  await store.record([seen], 1)
  // The price that makes the amount worth the credits: a dollar, where the two agree.
  const price = formatUsd(attoUsdOf((credits * 10n ** BigInt(6 + ASSET_DECIMALS[seen.asset])) / seen.amount))
  const change = { state: 'confirming', credits, price, priceRound: 'par', priceTime: 1 } as const
  await store.change(seen, ['seen'], change, 2)
  const deposit = (await store.listByTransaction(seen.chainId, seen.txHash)).find(
    ({ ordinal }) => ordinal === seen.ordinal,
  )
  if (deposit === undefined) throw new Error('the deposit was recorded')
  return deposit
}

/** Notes that the sender of a deposit was a wallet of its account once, as where payments go to a treasury. */
export async function seedOnceLinkedWallet(database: Database, { accountId, chainId, sender }: SeenDeposit) {
  const wallet = { wallet_id: createId(Date.now()), account_id: accountId, chain_id: chainId, address: sender ?? '' }
  const linked = { ...wallet, proof: 'eoa', linked_at: 1, unlinked_at: 2 } as const
  await database.write([database.read.insertInto('linked_wallet').values(linked).compile()])
}
