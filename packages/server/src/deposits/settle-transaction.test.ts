import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { creditsOf, openDepositScene, type DepositScene } from '../../testing/deposit-scene.ts'
import { ETH_FEED, hasEvm, startEvmChain, TOKEN, usdg, type EvmChain } from '../../testing/evm-chain.ts'
import { randomHash } from '../../testing/credited-deposit.ts'
import { seedReadyDeposit, seenDeposit } from '../../testing/seed-deposit.ts'
import type { Hex } from '../chain/assets.ts'
import { createId } from '../platform/runtime/ids.ts'

const STRANGER: Hex = '0x00000000000000000000000000000000000000ff'

describe.skipIf(!hasEvm())('what a transaction on a real chain pays', () => {
  let chain: EvmChain
  let scene: DepositScene
  let snapshot: Hex
  beforeAll(async () => {
    chain = await startEvmChain()
    scene = await openDepositScene('sqlite', chain)
  })
  afterAll(async () => {
    await scene.close()
    await chain.stop()
  })
  beforeEach(async () => {
    snapshot = await chain.client.snapshot()
  })
  afterEach(async () => {
    await chain.client.revert({ id: snapshot })
  })

  /** Looks at a final transaction and says what the account got. */
  async function finalCredits(txHash: Hex, accountId: string): Promise<bigint> {
    await chain.finalise()
    await scene.follow()
    await scene.settle(txHash)
    return scene.balanceOf(accountId)
  }

  test('USDG is seen at once, and credited only when its block is final', async () => {
    const { accountId, address } = await scene.createAccount()
    const txHash = await chain.payToken(address, usdg(25))
    const early = await scene.settle(txHash, accountId)
    expect(early).toMatchObject({
      kind: 'deposits',
      finality: 'latest',
      deposits: [{ state: 'seen', reason: 'confirming', credits: creditsOf(25), ordinal: 'log:0', asset: 'USDG' }],
    })
    expect(await scene.balanceOf(accountId)).toBe(0n)
    expect(await finalCredits(txHash, accountId)).toBe(creditsOf(25))
    const again = await scene.settle(txHash, accountId)
    expect(again).toMatchObject({ finality: 'finalized', etaSeconds: 0, deposits: [{ state: 'credited' }] })
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(25))
  })

  test('a payment to an erased account is held apart for an operator, and its dust waits as all dust does', async () => {
    const { accountId, address } = await scene.createAccount()
    const { database } = scene
    await database.write([
      database.read
        .updateTable('account')
        .set({ status: 'suspended', closed_at: 1, erased_at: 2 })
        .where('account_id', '=', accountId)
        .compile(),
    ])
    const dust = await chain.payToken(address, usdg(1) / 2n)
    expect(await finalCredits(dust, accountId)).toBe(0n)
    const [small] = await scene.deps.deposits.listByAccount(accountId, { limit: 9 })
    expect(small).toMatchObject({ state: 'confirming', reason: 'below_minimum' })
    const txHash = await chain.payToken(address, usdg(25))
    expect(await finalCredits(txHash, accountId)).toBe(0n)
    const held = await scene.deps.deposits.listByAccount(accountId, { limit: 9 })
    expect(held.map(({ state, note }) => [state, note])).toEqual([
      ['under_review', 'Its account was erased: nobody could spend the credits.'],
      ['under_review', 'Its account was erased: nobody could spend the credits.'],
    ])
    const paid = held.find(({ txHash: hash }) => hash === txHash)
    await scene.deps.deposits.change(
      paid!,
      ['under_review'],
      { state: 'confirming', reason: 'confirming', releasedAt: Date.now() },
      Date.now(),
    )
    expect(await finalCredits(txHash, accountId)).toBe(creditsOf(25))
  })

  // B149: identity is (chain, hash, place in the transaction); each payee gets its own.
  test('a pay-out to many credits each their own sum, and a stranger nothing', async () => {
    const [a, b] = [await scene.createAccount(), await scene.createAccount()]
    const payer = await chain.deploy('BatchPayer')
    await chain.mint(payer, usdg(100))
    const to = [a.address, STRANGER, b.address, a.address]
    const values = [usdg(10), usdg(40), usdg(20), usdg(5)]
    const txHash = await chain.write('BatchPayer.payTokens', payer, [TOKEN, to, values])
    await chain.finalise()
    const first = await scene.settle(txHash, a.accountId)
    expect(first).toMatchObject({ deposits: [{ ordinal: 'log:0' }, { ordinal: 'log:3' }] })
    expect(await scene.balanceOf(a.accountId)).toBe(creditsOf(15))
    expect(await scene.balanceOf(b.accountId)).toBe(0n)
    await scene.settle(txHash, b.accountId)
    expect(await scene.balanceOf(b.accountId)).toBe(creditsOf(20))
    expect(await scene.balanceOf(a.accountId)).toBe(creditsOf(15))
  })

  // Anyone can send what is nearly worth nothing, as often as they like: a look takes no longer for it.
  test('of many small deposits one look takes the greatest', async () => {
    const { accountId, address } = await scene.createAccount()
    const small = Array.from({ length: 250 }, (_, index) => (index < 200 ? 2_000n : 1_000n))
    await chain.mint(
      address,
      small.reduce((sum, amount) => sum + amount, 0n),
    )
    for (const amount of small) {
      const seen = seenDeposit(accountId, { depositId: createId(Date.now()), txHash: randomHash(), address, amount })
      const deposit = await seedReadyDeposit(scene.database, seen, amount * (creditsOf(1) / 1_000_000n))
      await scene.deps.deposits.change(deposit, ['confirming'], { reason: 'below_minimum' }, 3)
    }
    const txHash = await chain.payToken(address, usdg(5))
    expect(await finalCredits(txHash, accountId)).toBe(creditsOf(5.4))
    const next = await chain.payToken(address, usdg(5))
    expect(await finalCredits(next, accountId)).toBe(creditsOf(10.45))
  })

  test('ETH of a plain payment is worth its price at the block', async () => {
    const { accountId, address } = await scene.createAccount()
    const txHash = await chain.payEther(address, 10n ** 16n)
    expect(await finalCredits(txHash, accountId)).toBe(creditsOf(25))
  })

  test('ETH of inner calls counts: by a contract, in a batch, by a contract that ends', async () => {
    const { accountId, address } = await scene.createAccount()
    const forwarder = await chain.deploy('Forwarder')
    const value = 10n ** 16n
    const inner = await chain.write('Forwarder.forward', forwarder, [address], { value })
    expect(await finalCredits(inner, accountId)).toBe(creditsOf(25))
    const ended = await chain.write('Forwarder.payByEnd', forwarder, [address], { value })
    expect(await finalCredits(ended, accountId)).toBe(creditsOf(50))
    const payer = await chain.deploy('BatchPayer')
    const args = [
      [address, STRANGER, address],
      [value, value, value],
    ]
    const batch = await chain.write('BatchPayer.payEther', payer, args, { value: 3n * value })
    expect(await finalCredits(batch, accountId)).toBe(creditsOf(100))
  })

  test('a delegate call with value moves nothing to the address', async () => {
    const { accountId, address } = await scene.createAccount()
    const forwarder = await chain.deploy('Forwarder')
    const txHash = await chain.write('Forwarder.delegate', forwarder, [address], { value: 10n ** 18n })
    expect(await finalCredits(txHash, accountId)).toBe(0n)
    expect(await scene.settle(txHash, accountId)).toEqual({ kind: 'not_yours' })
  })

  test('an inner call that was undone pays nothing', async () => {
    const { accountId, address } = await scene.createAccount()
    const forwarder = await chain.deploy('Forwarder')
    const txHash = await chain.write('Forwarder.tryAndFail', forwarder, [address], { value: 10n ** 18n })
    expect(await finalCredits(txHash, accountId)).toBe(0n)
  })

  test('a smart account is a sender like any other', async () => {
    const { accountId, address } = await scene.createAccount()
    const wallet = await chain.deploy('SmartAccount', [chain.accounts[0]!.address])
    await chain.mint(wallet, usdg(30))
    const { encodeFunctionData, erc20Abi } = await import('viem')
    const args = [address, usdg(30)] as const
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
    const txHash = await chain.write('SmartAccount.execute', wallet, [TOKEN, 0n, data])
    expect(await finalCredits(txHash, accountId)).toBe(creditsOf(30))
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ sender: wallet }] })
  })

  // B142: status 0 with value and calldata that look right.
  test('a transaction that was reverted pays nothing', async () => {
    const { accountId, address } = await scene.createAccount()
    const txHash = await chain.write('Usdg.transfer', TOKEN, [address, usdg(999)], { from: chain.accounts[5]! })
    expect(await scene.settle(txHash, accountId)).toEqual({ kind: 'reverted' })
    expect(await finalCredits(txHash, accountId)).toBe(0n)
  })

  // B137: the event of a worthless contract.
  test('tokens of another contract are not taken, whatever they call themselves', async () => {
    const { accountId, address } = await scene.createAccount()
    const fake = await chain.deploy('FakeToken')
    const txHash = await chain.write('FakeToken.transfer', fake, [address, usdg(1_000)])
    expect(await finalCredits(txHash, accountId)).toBe(0n)
    expect(await scene.settle(txHash, accountId)).toEqual({ kind: 'unsupported_token', tokens: [fake] })
  })

  // B137: the right event beside a false one, and the event of a token that is one of a kind.
  test('an event that lies beside a true transfer adds nothing', async () => {
    const { accountId, address } = await scene.createAccount()
    const liar = await chain.deploy('Liar')
    await chain.mint(liar, usdg(5))
    const mixed = await chain.write('Liar.mixed', liar, [TOKEN, address, usdg(5)])
    expect(await finalCredits(mixed, accountId)).toBe(creditsOf(5))
    const lie = await chain.write('Liar.lie', liar, [STRANGER, address, usdg(1_000)])
    expect(await finalCredits(lie, accountId)).toBe(creditsOf(5))
    const ofOne = await chain.write('Liar.lieOfOne', liar, [STRANGER, address, 1_000_000_000n])
    expect(await finalCredits(ofOne, accountId)).toBe(creditsOf(5))
    expect(await scene.settle(ofOne, accountId)).toEqual({ kind: 'not_yours' })
  })

  test('what is paid to another says nothing about them', async () => {
    const [a, b] = [await scene.createAccount(), await scene.createAccount()]
    const txHash = await chain.payToken(b.address, usdg(50))
    await chain.finalise()
    expect(await scene.settle(txHash, a.accountId)).toEqual({ kind: 'not_yours' })
    expect(await scene.balanceOf(b.accountId)).toBe(0n)
    await scene.settle(txHash, b.accountId)
    expect(await scene.settle(txHash, a.accountId)).toEqual({ kind: 'not_yours' })
    expect(await scene.balanceOf(b.accountId)).toBe(creditsOf(50))
  })

  // B141 and B144: what no node knows, and what waits for a block, is no failure for ever.
  test('an unknown hash is unknown, a waiting transaction waits, and is credited later', async () => {
    const { accountId, address } = await scene.createAccount()
    expect(await scene.settle(`0x${'12'.repeat(32)}`, accountId)).toEqual({ kind: 'unknown' })
    await chain.client.setAutomine(false)
    const request = { account: chain.accounts[0]!, chain: null, to: address, value: 10n ** 16n, gas: 30_000n }
    const txHash = await chain.client.sendTransaction(request)
    expect(await scene.settle(txHash, accountId)).toEqual({ kind: 'unmined' })
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    expect(await finalCredits(txHash, accountId)).toBe(creditsOf(25))
  })

  // B152: nothing is credited from the mempool.
  test('a payment that was replaced by one to another pays nothing', async () => {
    const { accountId, address } = await scene.createAccount()
    await chain.client.setAutomine(false)
    const from = chain.accounts[1]!
    const nonce = await chain.client.getTransactionCount({ address: from.address })
    const request = { account: from, chain: null, value: 10n ** 16n, gas: 30_000n, nonce }
    const fees = (gwei: bigint) => ({ maxFeePerGas: gwei * 10n ** 9n, maxPriorityFeePerGas: gwei * 10n ** 9n })
    const first = await chain.client.sendTransaction({ ...request, to: address, ...fees(10n) })
    expect(await scene.settle(first, accountId)).toEqual({ kind: 'unmined' })
    await chain.client.sendTransaction({ ...request, to: STRANGER, ...fees(50n) })
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    expect(await finalCredits(first, accountId)).toBe(0n)
    expect(await scene.settle(first, accountId)).toEqual({ kind: 'unknown' })
  })

  // B152: the payer raises the fee, so that one payment has two hashes.
  test('a payment that was replaced by the same one with a higher fee is credited once', async () => {
    const { accountId, address } = await scene.createAccount()
    await chain.client.setAutomine(false)
    const from = chain.accounts[1]!
    const nonce = await chain.client.getTransactionCount({ address: from.address })
    const request = { account: from, chain: null, to: address, value: 10n ** 16n, gas: 30_000n, nonce }
    const fees = (gwei: bigint) => ({ maxFeePerGas: gwei * 10n ** 9n, maxPriorityFeePerGas: gwei * 10n ** 9n })
    const slow = await chain.client.sendTransaction({ ...request, ...fees(10n) })
    expect(await scene.settle(slow, accountId)).toEqual({ kind: 'unmined' })
    const fast = await chain.client.sendTransaction({ ...request, ...fees(50n) })
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    expect(await finalCredits(fast, accountId)).toBe(creditsOf(25))
    expect(await finalCredits(slow, accountId)).toBe(creditsOf(25))
    expect(await scene.deps.deposits.listByAccount(accountId, { limit: 9 })).toMatchObject([{ txHash: fast }])
  })

  // B151: the block leaves the chain before it is final.
  test('a payment whose block was reorganised away is taken back, and credited if it comes again', async () => {
    const { accountId, address } = await scene.createAccount()
    const from = chain.accounts[2]!
    await chain.mint(from.address, usdg(40))
    await chain.client.mine({ blocks: 4 })
    const nonce = await chain.client.getTransactionCount({ address: from.address })
    const txHash = await chain.write('Usdg.transfer', TOKEN, [address, usdg(40)], { from })
    const raw = await chain.client.request({
      method: 'eth_getRawTransactionByHash' as never,
      params: [txHash] as never,
    })
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'seen' }] })
    await chain.reorganise(1)
    expect(await scene.settle(txHash, accountId)).toEqual({ kind: 'unknown' })
    const [taken] = await scene.deps.deposits.listByAccount(accountId, { limit: 9 })
    expect(taken).toMatchObject({ state: 'reversed', reason: 'reorg' })
    await chain.finalise()
    expect(await scene.balanceOf(accountId)).toBe(0n)

    expect(await chain.client.getTransactionCount({ address: from.address })).toBe(nonce)
    await chain.client.sendRawTransaction({ serializedTransaction: raw as Hex })
    expect(await finalCredits(txHash, accountId)).toBe(creditsOf(40))
    const rows = await scene.deps.deposits.listByAccount(accountId, { limit: 9 })
    expect(rows).toMatchObject([{ depositId: taken!.depositId, state: 'credited', reason: null }])
  })

  // B151: the same hash, with another amount.
  test('a payment that comes again with another amount is worth what it paid in the end', async () => {
    const { accountId, address } = await scene.createAccount()
    const faucet = await chain.deploy('Faucet')
    await chain.mint(faucet, usdg(100))
    await chain.client.mine({ blocks: 4 })
    await chain.write('Faucet.setAmount', faucet, [usdg(40)], { from: chain.accounts[3]! })
    const txHash = await chain.write('Faucet.pay', faucet, [TOKEN, address], { from: chain.accounts[2]! })
    const raw = await chain.client.request({
      method: 'eth_getRawTransactionByHash' as never,
      params: [txHash] as never,
    })
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'seen', amount: usdg(40) }] })
    await chain.reorganise(2)
    await chain.client.sendRawTransaction({ serializedTransaction: raw as Hex })
    await chain.client.waitForTransactionReceipt({ hash: txHash })
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ amount: usdg(5) }] })
    expect(await finalCredits(txHash, accountId)).toBe(creditsOf(5))
    expect(await scene.deps.deposits.listByAccount(accountId, { limit: 9 })).toMatchObject([
      { txHash, state: 'credited', amount: usdg(5), credits: creditsOf(5) },
    ])
  })

  // B151: the same hash, and this time it fails.
  test('a payment that comes again and is reverted then pays nothing', async () => {
    const { accountId, address } = await scene.createAccount()
    const from = chain.accounts[4]!
    await chain.client.mine({ blocks: 4 })
    await chain.mint(from.address, usdg(60))
    const txHash = await chain.write('Usdg.transfer', TOKEN, [address, usdg(60)], { from })
    const raw = await chain.client.request({
      method: 'eth_getRawTransactionByHash' as never,
      params: [txHash] as never,
    })
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'seen' }] })
    // Without the block of the mint there is nothing to pay with.
    await chain.reorganise(2)
    await chain.client.sendRawTransaction({ serializedTransaction: raw as Hex })
    await chain.client.waitForTransactionReceipt({ hash: txHash })
    expect(await scene.settle(txHash, accountId)).toEqual({ kind: 'reverted' })
    expect(await finalCredits(txHash, accountId)).toBe(0n)
    expect(await scene.deps.deposits.listByAccount(accountId, { limit: 9 })).toMatchObject([
      { txHash, state: 'reversed', reason: 'reorg', credits: expect.anything() },
    ])
  })

  test('a price that moves after the block changes nothing', async () => {
    const { accountId, address } = await scene.createAccount()
    const txHash = await chain.payEther(address, 10n ** 16n)
    await chain.client.increaseTime({ seconds: 600 })
    await chain.client.mine({ blocks: 1 })
    await chain.pushPrice(ETH_FEED, 9_000_00000000n)
    expect(await finalCredits(txHash, accountId)).toBe(creditsOf(25))
    expect((await scene.deps.deposits.listByAccount(accountId, { limit: 1 }))[0]).toMatchObject({ price: '2500' })
  })
})
