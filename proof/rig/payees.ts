/** Accounts that are paid on a chain, and what the books must hold of that. */
import { request } from 'undici'
import type { Hex } from '../../packages/server/src/chain/assets.ts'
import { valueOfDeposit } from '@svc/contract/deposit-value'
import type { EvmChain } from '../../packages/server/testing/evm-chain.ts'
import type { Random } from '../../packages/server/testing/random.ts'
import type { Rig } from './gateway-rig.ts'

export interface Payee {
  readonly accountId: string
  readonly rawKey: string
  readonly address: Hex
  /** Nanocredits of all that was paid. */
  expected: bigint
}

/** One transfer on the chain. */
export interface Paid {
  readonly txHash: Hex
  readonly asset: 'USDG' | 'ETH'
}

/** Makes an account, and asks the gateway at a port for its address. */
export async function createPayee(rig: Rig, port: number, name: string): Promise<Payee> {
  const owner = await rig.createAccount(name, 0n)
  const { rawKey } = await rig.createKey(owner, { rights: ['inference', 'deposits', 'keys'] })
  const { body } = await request(`http://127.0.0.1:${port}/api/deposits/address`, {
    headers: { authorization: `Bearer ${rawKey}` },
  })
  const { chains } = (await body.json()) as { readonly chains: readonly { readonly address: string }[] }
  const address = String(chains[0]?.address).toLowerCase() as Hex
  return { accountId: owner.accountId, rawKey, address, expected: 0n }
}

/** Pays some ether, worth what the chain's price feed says. */
export async function payEther(chain: EvmChain, payee: Payee, random: Random): Promise<Paid> {
  const value = BigInt(1_000 + random.below(9_000)) * 10n ** 12n
  payee.expected += valueOfDeposit(value, 18, '2500') ?? 0n
  return { txHash: await chain.payEther(payee.address, value), asset: 'ETH' }
}

/** Pays some tokens. */
export async function payToken(chain: EvmChain, payee: Payee, random: Random): Promise<Paid> {
  const amount = BigInt(1_000_000 + random.below(20_000_000))
  payee.expected += valueOfDeposit(amount, 6, '1') ?? 0n
  return { txHash: await chain.payToken(payee.address, amount), asset: 'USDG' }
}

/** Where the books hold more than was paid, or, where they must be `exact`, anything else. */
export async function differencesOf(
  rig: Rig,
  payees: readonly Payee[],
  books: 'exact' | 'not beyond',
): Promise<readonly string[]> {
  const rows = await rig.database.read.selectFrom('balance').select(['account_id', 'posted']).execute()
  return payees.flatMap(({ accountId, expected }) => {
    const posted = rows.find((row) => row.account_id === accountId)?.posted ?? 0n
    const isRight = books === 'exact' ? posted === expected : posted <= expected
    return isRight ? [] : [`account ${accountId} was paid ${expected} and has ${posted}`]
  })
}
