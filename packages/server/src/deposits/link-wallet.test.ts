import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeAbiParameters, encodeFunctionData, type Abi } from 'viem'
import { creditsOf, openDepositScene, type DepositScene } from '../../testing/deposit-scene.ts'
import { hasEvm, startEvmChain, TOKEN, usdg, type EvmChain } from '../../testing/evm-chain.ts'
import type { ChainId, Hex } from '../chain/assets.ts'
import { challengeWallet, linkWallet, type Linker, type LinkWalletDeps } from './link-wallet.ts'
import { createWalletStore } from './wallet-store.ts'

const TREASURY: Hex = `0x${'7e'.repeat(20)}`
const ORIGIN = 'https://ai.example.com'

// The mode in which all accounts pay to one address.
describe.skipIf(!hasEvm())('a wallet that is linked to an account', () => {
  let chain: EvmChain
  let scene: DepositScene
  let deps: LinkWalletDeps
  beforeAll(async () => {
    chain = await startEvmChain()
    scene = await openDepositScene('sqlite', chain, { policy: { treasuries: new Map([[4663, TREASURY]]) } })
    const wallets = createWalletStore(scene.database)
    deps = { wallets, chains: scene.deps.chains, origin: () => ORIGIN, clock: scene.clock }
  })
  afterAll(async () => {
    await scene.close()
    await chain.stop()
  })

  async function createLinker(): Promise<Linker> {
    const { accountId } = await scene.money.createCaller(0n)
    return { accountId, session: `session of ${accountId}` }
  }

  /** Has a funded account of the chain sign and link itself. */
  async function link(linker: Linker, at: number, chainId: ChainId = 4663) {
    const signer = chain.accounts[at]!
    const address = signer.address.toLowerCase() as Hex
    const { message } = await challengeWallet(deps, linker, { chainId, address })
    return linkWallet(deps, linker, { message, signature: await signer.signMessage!({ message }) })
  }

  // B136: in both ways of paying, who sent decides whose it is.
  test('owns what it pays to the treasury, in tokens and in ETH; others own nothing of it', async () => {
    const [one, other] = [await createLinker(), await createLinker()]
    expect(await link(one, 1)).toMatchObject({ kind: 'linked', wallet: { proof: 'eoa' } })
    expect(await link(other, 2)).toMatchObject({ kind: 'linked' })
    const token = await chain.payToken(TREASURY, usdg(30), chain.accounts[1]!)
    const ether = await chain.payEther(TREASURY, 10n ** 16n, chain.accounts[1]!)
    await chain.finalise()
    expect(await scene.settle(ether, other.accountId)).toEqual({ kind: 'wallet_not_linked' })
    expect(await scene.settle(token, other.accountId)).toEqual({ kind: 'wallet_not_linked' })
    await scene.settle(token, one.accountId)
    await scene.settle(ether, one.accountId)
    expect(await scene.balanceOf(one.accountId)).toBe(creditsOf(55))
    expect(await scene.balanceOf(other.accountId)).toBe(0n)
  })

  // B149: several logs of one sender, one to a stranger, in one transaction.
  test('gets the sum of all that it pays to the treasury in one transaction', async () => {
    const [one, other] = [await createLinker(), await createLinker()]
    const payer = await chain.deploy('BatchPayer')
    await chain.mint(payer, usdg(100))
    await deps.wallets.link({
      ...{ walletId: 'wallet-batch', accountId: one.accountId, chainId: 4663, address: payer },
      ...{ proof: 'contract', linkedAt: 1 },
    })
    const to = [TREASURY, `0x${'01'.repeat(20)}`, TREASURY]
    const txHash = await chain.write('BatchPayer.payTokens', payer, [TOKEN, to, [usdg(10), usdg(50), usdg(2)]])
    await chain.finalise()
    expect(await scene.settle(txHash, other.accountId)).toEqual({ kind: 'wallet_not_linked' })
    await scene.settle(txHash)
    expect(await scene.balanceOf(one.accountId)).toBe(creditsOf(12))
  })

  test('may be a contract, on the chain on which it says so', async () => {
    const linker = await createLinker()
    const owner = chain.accounts[5]!
    const wallet = await chain.deploy('SmartAccount', [owner.address])
    const { message } = await challengeWallet(deps, linker, { chainId: 4663, address: wallet })
    const signature = await owner.signMessage!({ message })
    expect(await linkWallet(deps, linker, { message, signature })).toMatchObject({
      kind: 'linked',
      wallet: { proof: 'contract', address: wallet },
    })
    await chain.mint(wallet, usdg(8))
    const data = encodeFunctionData({
      abi: chain.contracts['Usdg']!.abi as Abi,
      functionName: 'transfer',
      args: [TREASURY, usdg(8)],
    })
    const txHash = await chain.write('SmartAccount.execute', wallet, [TOKEN, 0n, data])
    await chain.finalise()
    await scene.settle(txHash, linker.accountId)
    expect(await scene.balanceOf(linker.accountId)).toBe(creditsOf(8))
  })

  test('may be a contract that is not there yet', async () => {
    const linker = await createLinker()
    const owner = chain.accounts[6]!
    const factory = await chain.deploy('SmartAccountFactory')
    const salt: Hex = `0x${'05'.repeat(32)}`
    const wallet = String(
      await chain.read('SmartAccountFactory.addressOf', factory, [owner.address, salt]),
    ).toLowerCase()
    const { message } = await challengeWallet(deps, linker, { chainId: 4663, address: wallet as Hex })
    const inner = await owner.signMessage!({ message })
    const { abi } = chain.contracts['SmartAccountFactory']!
    const create = encodeFunctionData({ abi: abi as Abi, functionName: 'create', args: [owner.address, salt] })
    const parts = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const
    const magic = '6492649264926492649264926492649264926492649264926492649264926492'
    const signature: Hex = `${encodeAbiParameters(parts, [factory, create, inner])}${magic}`
    expect(await linkWallet(deps, linker, { message, signature })).toMatchObject({ kind: 'linked' })
  })

  test('is refused when another signed, another account asks, a part was changed, or it comes again', async () => {
    const [one, other] = [await createLinker(), await createLinker()]
    const signer = chain.accounts[7]!
    const address = signer.address.toLowerCase() as Hex
    const challenge = (): Promise<{ message: string }> => challengeWallet(deps, one, { chainId: 4663, address })
    const refused = (reason: string) => ({ kind: 'refused', reason })
    const { message } = await challenge()
    const signature = await signer.signMessage!({ message })
    expect(await linkWallet(deps, other, { message, signature })).toEqual(refused('wrong_message'))
    expect(await linkWallet(deps, { ...one, session: 'stolen' }, { message, signature })).toEqual(
      refused('wrong_message'),
    )
    for (const [from, to] of [
      ['ai.example.com wants', 'evil.example.com wants'],
      ['URI: https://ai', 'URI: https://evil'],
      ['Chain ID: 4663', 'Chain ID: 46630'],
      [one.accountId, other.accountId],
      ['Expiration Time: 2', 'Expiration Time: 3'],
    ] as const) {
      const changed = message.replaceAll(from, to)
      const resigned = await signer.signMessage!({ message: changed })
      expect(changed).not.toBe(message)
      expect(await linkWallet(deps, one, { message: changed, signature: resigned })).toEqual(refused('wrong_message'))
    }
    const forged = await chain.accounts[8]!.signMessage!({ message })
    expect(await linkWallet(deps, one, { message, signature: forged })).toEqual(refused('wrong_signature'))
    expect(await linkWallet(deps, one, { message, signature })).toEqual(refused('expired'))

    const again = await challenge()
    const right = await signer.signMessage!({ message: again.message })
    expect(await linkWallet(deps, one, { message: again.message, signature: right })).toMatchObject({ kind: 'linked' })
    expect(await linkWallet(deps, one, { message: again.message, signature: right })).toEqual(refused('expired'))
    expect(await link(other, 7)).toEqual(refused('already_linked'))
  })

  test('is free for another account once it was unlinked', async () => {
    const [one, other] = [await createLinker(), await createLinker()]
    const linked = await link(one, 9)
    const walletId = linked.kind === 'linked' ? linked.wallet.walletId : ''
    expect(await deps.wallets.unlink(other.accountId, walletId, 5)).toBe(false)
    expect(await deps.wallets.unlink(one.accountId, walletId, scene.clock.now())).toBe(true)
    expect(await link(other, 9)).toMatchObject({ kind: 'linked' })
    expect(await deps.wallets.list(one.accountId)).toHaveLength(1)
  })
})
