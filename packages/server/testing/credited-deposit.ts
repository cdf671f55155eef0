import { randomBytes } from 'node:crypto'
import { creditDeposit } from '../src/deposits/credit-deposit.ts'
import type { SeenDeposit } from '../src/deposits/record-statement.ts'
import type { Deposit } from '../src/deposits/deposit.ts'
import type { Gateway } from '../src/app/gateway.ts'
import { seedOnceLinkedWallet, seedReadyDeposit, seenDeposit } from './seed-deposit.ts'

/** A transaction hash that no other has. */
export function randomHash(): `0x${string}` {
  return `0x${randomBytes(32).toString('hex')}`
}

/** Records a deposit for an account and credits it through the gateway's own ledger. */
export async function creditedDeposit(
  { database, ledger, clock }: Pick<Gateway, 'database' | 'ledger' | 'clock'>,
  accountId: string,
  overrides: Partial<SeenDeposit> & { readonly credits?: bigint } = {},
): Promise<Deposit> {
  const { credits, ...seen } = overrides
  const paid = seenDeposit(accountId, { txHash: randomHash(), ...seen })
  await seedOnceLinkedWallet(database, paid)
  const deposit = await seedReadyDeposit(database, paid, credits)
  await creditDeposit({ ledger, clock }, deposit, null)
  return deposit
}
