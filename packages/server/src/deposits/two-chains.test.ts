import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditsOf, openDepositScene, type DepositScene } from '../../testing/deposit-scene.ts'
import { hasEvm, startEvmChain, usdg, type EvmChain } from '../../testing/evm-chain.ts'
import type { ChainId, Hex } from '../chain/assets.ts'
import { openChainReader } from '../chain/open-chain-reader.ts'
import { systemClock } from '../platform/runtime/clock.ts'
import { createWalletStore } from './wallet-store.ts'
import { settleTransaction, type TransactionOutcome } from './settle-transaction.ts'

/** The operator takes payments at the same address on both chains. */
const TREASURY: Hex = `0x${'7e'.repeat(20)}`

// B139
describe.skipIf(!hasEvm())('two chains', () => {
  let chains: readonly EvmChain[]
  let scene: DepositScene
  let accountId: string
  beforeAll(async () => {
    const [main, other] = await Promise.all([startEvmChain(4663), startEvmChain(46630)])
    chains = [main, other]
    const reader = openChainReader({ rules: other.rules, rpcUrls: [other.url], clock: systemClock })
    const treasuries = new Map<ChainId, Hex>([4663, 46630].map((chainId) => [chainId as ChainId, TREASURY]))
    scene = await openDepositScene('sqlite', main, { policy: { treasuries }, readers: [reader] })
    accountId = (await scene.money.createCaller(0n)).accountId
    const wallets = createWalletStore(scene.database)
    for (const { chainId, accounts } of chains) {
      const address = accounts[1]!.address.toLowerCase() as Hex
      const walletId = `wallet-${chainId}`
      await wallets.link({ walletId, accountId, chainId, address, proof: 'eoa', linkedAt: 1 })
    }
  })
  afterAll(async () => {
    await scene.close()
    for (const chain of chains) await chain.stop()
  })

  const settle = (txHash: Hex, chainId: ChainId): Promise<TransactionOutcome> =>
    settleTransaction(scene.deps, { chainId, txHash, accountId })

  test('know nothing of what was paid on the other one', async () => {
    const before = await scene.balanceOf(accountId)
    const [main, other] = chains as [EvmChain, EvmChain]
    for (const [paid, asked] of [
      [main, other],
      [other, main],
    ] as const) {
      const txHash = await paid.payToken(TREASURY, usdg(9), paid.accounts[1])
      await paid.finalise()
      expect(await settle(txHash, asked.chainId)).toEqual({ kind: 'unknown' })
      expect(await settle(txHash, paid.chainId)).toMatchObject({ deposits: [{ state: 'credited' }] })
      expect(await settle(txHash, asked.chainId)).toEqual({ kind: 'unknown' })
    }
    expect((await scene.balanceOf(accountId)) - before).toBe(creditsOf(18))
  })

  // A transaction signed for no chain, as before EIP-155, can be sent on any: coins move on each.
  test('have a deposit each where one transaction was sent on both', async () => {
    const before = await scene.balanceOf(accountId)
    const signer = chains[0]!.accounts[1]!
    const nonces = chains.map(({ client }) => client.getTransactionCount({ address: signer.address }))
    const nonce = Math.max(...(await Promise.all(nonces)))
    const serializedTransaction = await signer.signTransaction!({
      ...({ type: 'legacy', to: TREASURY, value: 10n ** 16n, gas: 30_000n, gasPrice: 50n * 10n ** 9n } as const),
      nonce,
    })
    const hashes: Hex[] = []
    for (const { client, finalise } of chains) {
      await client.setNonce({ address: signer.address, nonce })
      hashes.push(await client.sendRawTransaction({ serializedTransaction }))
      await finalise()
    }
    expect(hashes[0]).toBe(hashes[1])
    for (const { chainId } of [...chains, ...chains]) {
      expect(await settle(hashes[0]!, chainId)).toMatchObject({ deposits: [{ chainId, state: 'credited' }] })
    }
    expect((await scene.balanceOf(accountId)) - before).toBe(creditsOf(50))
  })
})
