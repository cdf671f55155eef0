import type { Database } from '../src/platform/db/database.ts'
import { createDepositStore } from '../src/deposits/deposit-store.ts'
import type { SeenDeposit } from '../src/deposits/record-statement.ts'
import type { Deposit } from '../src/deposits/deposit.ts'
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
  const change = { state: 'confirming', credits, price: '1', priceRound: 'par', priceTime: 1 } as const
  await store.change(seen, ['seen'], change, 2)
  const deposit = (await store.listByTransaction(seen.chainId, seen.txHash)).find(
    ({ ordinal }) => ordinal === seen.ordinal,
  )
  if (deposit === undefined) throw new Error('the deposit was recorded')
  return deposit
}
