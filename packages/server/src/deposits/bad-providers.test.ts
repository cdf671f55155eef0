import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { creditsOf, openDepositScene, type DepositScene } from '../../testing/deposit-scene.ts'
import { ETH_FEED, hasEvm, startEvmChain, TOKEN, usdg, type EvmChain } from '../../testing/evm-chain.ts'
import { startRpcProxy, type RpcProxy } from '../../testing/rpc-proxy.ts'
import type { Hex } from '../chain/assets.ts'
import { openChainReader } from '../chain/open-chain-reader.ts'
import { DOUBT_MIN_MS } from './deposit-policy.ts'
import { settleTransaction } from './settle-transaction.ts'

/** Says of every address that it has so much of the token. @param digit of which all 64 are. */
const withBalance =
  (digit: '0' | 'f') =>
  (answer: unknown, [call]: readonly unknown[]): unknown =>
    (call as { data: string }).data.startsWith('0x70a08231') ? `0x${digit.repeat(64)}` : answer

describe.skipIf(!hasEvm())('a provider or a feed that cannot be trusted', () => {
  let chain: EvmChain
  let first: RpcProxy
  let second: RpcProxy
  let scene: DepositScene
  let snapshot: Hex
  beforeAll(async () => {
    chain = await startEvmChain()
    first = await startRpcProxy(chain.url)
    second = await startRpcProxy(chain.url)
  })
  afterAll(async () => {
    await first.close()
    await second.close()
    await chain.stop()
  })
  beforeEach(async () => {
    first.restore()
    second.restore()
    snapshot = await chain.client.snapshot()
    scene = await openDepositScene('sqlite', chain, { rpcUrls: [first.url, second.url] })
  })
  afterEach(async () => {
    await scene.close()
    await chain.client.revert({ id: snapshot })
  })

  async function payFinal(amount: number): Promise<{ accountId: string; txHash: Hex; address: Hex }> {
    const { accountId, address } = await scene.createAccount()
    const txHash = await chain.payToken(address, usdg(amount))
    await chain.finalise()
    await scene.follow()
    return { accountId, txHash, address }
  }

  async function etherFinal(): Promise<{ accountId: string; txHash: Hex }> {
    const { accountId, address } = await scene.createAccount()
    const txHash = await chain.payEther(address, 10n ** 16n)
    await chain.finalise()
    await scene.follow()
    return { accountId, txHash }
  }

  /** Longer than a doubt is waited out. */
  async function passTime(): Promise<void> {
    await chain.client.increaseTime({ seconds: (2 * DOUBT_MIN_MS) / 1_000 })
    await chain.finalise()
    await scene.follow()
  }

  /** Looks, finds a doubt, and looks again when it has lasted. */
  async function settleInDoubt(txHash: Hex, accountId: string) {
    expect(await scene.settle(txHash, accountId)).toMatchObject({
      deposits: [{ state: 'confirming', reason: 'confirming' }],
    })
    await passTime()
    return scene.settle(txHash, accountId)
  }

  const withAmount = (amount: number) => (answer: unknown) => {
    const receipt = answer as { logs: readonly object[] }
    const data = `0x${usdg(amount).toString(16).padStart(64, '0')}`
    return { ...receipt, logs: receipt.logs.map((log) => ({ ...log, data })) }
  }

  // B146: nothing is locked by a look that failed.
  test('that is away is passed over, and when both are away nothing is lost', async () => {
    const { accountId, txHash } = await payFinal(20)
    first.goAway()
    second.goAway()
    expect(await scene.settle(txHash, accountId)).toMatchObject({ kind: 'unavailable' })
    expect(await scene.deps.deposits.listByAccount(accountId, { limit: 5 })).toEqual([])
    second.restore()
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'credited' }] })
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(20))
  })

  test('that refuses a question is passed over', async () => {
    const { accountId, txHash } = await payFinal(20)
    first.refuse('eth_getTransactionReceipt', -32000)
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'credited' }] })
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(20))
  })

  test('that reports an impossible balance is passed over, and the books can be summed up', async () => {
    const { accountId, txHash, address } = await payFinal(20)
    first.alter('eth_call', withBalance('f'))
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'credited' }] })
    expect(await scene.deps.inflows.find(4663, address, 'USDG')).toMatchObject({ amount: usdg(20) })
  })

  test('that is busy is asked again', async () => {
    const { accountId, txHash } = await payFinal(20)
    first.beBusy(2)
    await scene.settle(txHash, accountId)
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(20))
  })

  test('that stays busy is passed over', async () => {
    const { accountId, txHash } = await payFinal(20)
    first.beBusy(1_000)
    await scene.settle(txHash, accountId)
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(20))
  })

  // B139: the chain that was asked is the chain that was named.
  test('of another chain is never believed', async () => {
    const { accountId, txHash } = await payFinal(20)
    for (const proxy of [first, second]) proxy.alter('eth_chainId', () => '0x1')
    expect(await scene.settle(txHash, accountId)).toMatchObject({ kind: 'unavailable' })
    expect(scene.reader.problems.join()).toContain('is a provider of chain 1, not 4663')
    expect(await scene.balanceOf(accountId)).toBe(0n)
  })

  test.each([
    ['eth_getCode', '0x', 'there is no token'],
    ['eth_getBlockByNumber', null, 'does not tell which block is final'],
  ])('that answers %s with %j fails the check before anything is believed', async (method, lie, problem) => {
    const { accountId, txHash } = await payFinal(20)
    for (const proxy of [first, second]) proxy.alter(method, () => lie)
    expect(await scene.settle(txHash, accountId)).toMatchObject({ kind: 'unavailable' })
    expect(scene.reader.problems.join()).toContain(problem)
  })

  // B141: an answer in a wrong form, an error, or nothing is never taken for a payment.
  test.each([
    ['eth_getTransactionReceipt', { status: '0x1' }],
    ['eth_getTransactionReceipt', 'yes'],
    ['eth_getTransactionByHash', []],
    ['eth_getBlockByNumber', { hash: 1 }],
  ])('that answers %s with %j credits nothing', async (method, lie) => {
    const { accountId, txHash } = await payFinal(20)
    await scene.settle(txHash, 'nobody')
    for (const proxy of [first, second]) proxy.alter(method, () => lie)
    expect(await scene.settle(txHash, accountId)).toMatchObject({ kind: 'unavailable' })
    expect(await scene.balanceOf(accountId)).toBe(0n)
  })

  // B141: nor is what is no answer at all.
  test.each([
    ['the page of a missing address', (proxy: RpcProxy) => proxy.showPage(404, '<h1>Not Found</h1>')],
    ['a page where an answer belongs', (proxy: RpcProxy) => proxy.showPage(200, '<h1>Welcome</h1>')],
    ['an error', (proxy: RpcProxy) => proxy.refuse('eth_getTransactionReceipt', -32603)],
    ['a refusal of the method', (proxy: RpcProxy) => proxy.refuse('eth_getTransactionByHash', -32601)],
    // As a node answers that is still indexing its transactions.
    ['a refusal of one question', (proxy: RpcProxy) => proxy.refuse('eth_getTransactionReceipt', -32000)],
  ])('that shows %s credits nothing, and the payment is credited afterwards', async (_what, spoil) => {
    const { accountId, txHash } = await payFinal(20)
    for (const proxy of [first, second]) spoil(proxy)
    expect(await scene.settle(txHash, accountId)).toMatchObject({ kind: 'unavailable' })
    expect(await scene.balanceOf(accountId)).toBe(0n)
    for (const proxy of [first, second]) proxy.restore()
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'credited' }] })
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(20))
  })

  // B147: decimals are those of the pinned contract, and another token in its place is none.
  test.each([
    ['18 decimals', '0x313ce567', `0x${'12'.padStart(64, '0')}`, 'has 18 decimals, not 6'],
    ['no decimals', '0x313ce567', '0x', 'has no decimals, not 6'],
  ])('whose token has %s is never believed', async (_what, view, answer, problem) => {
    const { accountId, txHash } = await payFinal(20)
    for (const proxy of [first, second]) {
      proxy.alter('eth_call', (told, [call]) => {
        const { to, data } = call as { to: string; data: string }
        return to === TOKEN && data === view ? answer : told
      })
    }
    expect(await scene.settle(txHash, accountId)).toMatchObject({ kind: 'unavailable' })
    expect(scene.reader.problems.join()).toContain(problem)
    expect(await scene.balanceOf(accountId)).toBe(0n)
  })

  test('that gives another block hash in the receipt contradicts itself', async () => {
    const { accountId, txHash } = await payFinal(20)
    const lie = (answer: unknown) => ({ ...(answer as object), blockHash: `0x${'99'.repeat(32)}` })
    for (const proxy of [first, second]) proxy.alter('eth_getTransactionReceipt', lie)
    expect(await scene.settle(txHash, accountId)).toMatchObject({ kind: 'unavailable' })
    expect(await scene.balanceOf(accountId)).toBe(0n)
  })

  test('that names a block which the chain does not have makes the payment displaced', async () => {
    const { accountId, txHash } = await payFinal(20)
    const hash = `0x${'99'.repeat(32)}`
    const lie = (answer: unknown) => ({ ...(answer as object), blockHash: hash })
    const logs = (answer: unknown) => ({ ...(answer as object), blockHash: hash, logs: [] })
    for (const proxy of [first, second]) {
      proxy.alter('eth_getTransactionByHash', lie)
      proxy.alter('eth_getTransactionReceipt', logs)
    }
    expect(await scene.settle(txHash, accountId)).toEqual({ kind: 'displaced' })
  })

  test('that invents a transfer is found out by the address, whatever the amount', async () => {
    const { accountId, txHash } = await payFinal(20)
    for (const proxy of [first, second]) proxy.alter('eth_getTransactionReceipt', withAmount(90))
    const note = 'More would be credited than ever came to its address.'
    expect(await settleInDoubt(txHash, accountId)).toMatchObject({ deposits: [{ state: 'under_review', note }] })
    expect(await scene.balanceOf(accountId)).toBe(0n)
  })

  test('that invents a transfer is not believed because an operator let it pass', async () => {
    const { accountId, txHash } = await payFinal(20)
    for (const proxy of [first, second]) proxy.alter('eth_getTransactionReceipt', withAmount(90))
    await settleInDoubt(txHash, accountId)
    const [deposit] = await scene.deps.deposits.listByAccount(accountId, { limit: 1 })
    const release = { state: 'confirming', reason: 'confirming', releasedAt: scene.clock.now() } as const
    await scene.deps.deposits.change(deposit!, ['under_review'], release, scene.clock.now())
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'under_review' }] })
    expect(await scene.balanceOf(accountId)).toBe(0n)
  })

  test.each<[string, (proxies: { first: RpcProxy; second: RpcProxy }) => void]>([
    ['an amount too large', ({ first: one }) => one.alter('eth_getTransactionReceipt', withAmount(9_000))],
    ['an amount beyond all bounds', ({ first: one }) => one.alter('eth_getTransactionReceipt', withAmount(1e15))],
    ['no such transaction', ({ second: other }) => other.alter('eth_getTransactionByHash', () => null)],
    ['another balance', ({ first: one }) => one.alter('eth_call', withBalance('0'))],
    [
      'too small an amount while the other is away',
      ({ first: one, second: other }) => {
        one.alter('eth_getTransactionReceipt', withAmount(0.1))
        other.goAway()
      },
    ],
    [
      'too large an amount while the other is away',
      ({ first: one, second: other }) => {
        one.alter('eth_getTransactionReceipt', withAmount(90_000))
        other.goAway()
      },
    ],
  ])('that reports %s once delays a deposit and leaves nothing to an operator', async (_what, spoil) => {
    const { accountId, txHash } = await payFinal(20)
    spoil({ first, second })
    expect(await scene.settle(txHash, accountId)).toMatchObject({
      deposits: [{ state: 'confirming', reason: 'confirming' }],
    })
    expect(await scene.balanceOf(accountId)).toBe(0n)
    for (const proxy of [first, second]) proxy.restore()
    await passTime()
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'credited' }] })
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(20))
  })

  test('that has no price meanwhile, for another look, does not make a deposit too small', async () => {
    const { accountId, txHash } = await payFinal(20)
    const { deposits } = scene.deps
    const change: typeof deposits.change = async (deposit, from, what, now) => {
      const isChanged = await deposits.change(deposit, from, what, now)
      // The other look, at once after this one has noted the worth.
      if (what.credits !== undefined) await deposits.change(deposit, from, { credits: null }, now)
      return isChanged
    }
    const question = { chainId: 4663, txHash, accountId } as const
    expect(await settleTransaction({ ...scene.deps, deposits: { ...deposits, change } }, question)).toMatchObject({
      deposits: [{ state: 'confirming', reason: 'confirming' }],
    })
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'credited' }] })
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(20))
  })

  test('whose word another contradicts credits nothing', async () => {
    const { accountId, txHash } = await payFinal(2_000)
    first.alter('eth_getTransactionReceipt', withAmount(9_000))
    expect(await settleInDoubt(txHash, accountId)).toMatchObject({
      deposits: [{ state: 'under_review', note: 'Two providers tell different things of it.' }],
    })
    expect(await scene.balanceOf(accountId)).toBe(0n)
  })

  test('that lies about the price is contradicted by the other', async () => {
    const { accountId, txHash } = await etherFinal()
    const [latest] = [await chain.read('PriceFeed.latestRoundData', ETH_FEED)] as [readonly bigint[]]
    const words = latest.map((word) => word.toString(16).padStart(64, '0'))
    words[1] = 9_000_00000000n.toString(16).padStart(64, '0')
    first.alter('eth_call', (answer, [call]) => {
      const { to, data } = call as { to: string; data: string }
      return to === ETH_FEED && data === '0xfeaf968c' ? `0x${words.join('')}` : answer
    })
    expect(await settleInDoubt(txHash, accountId)).toMatchObject({ deposits: [{ state: 'under_review' }] })
    expect(await scene.balanceOf(accountId)).toBe(0n)
  })

  test('alone is not enough for a large deposit, and enough for a small one', async () => {
    const small = await payFinal(400)
    const large = await payFinal(600)
    await scene.settle(small.txHash, 'nobody')
    second.goAway()
    await scene.settle(small.txHash, small.accountId)
    expect(await scene.balanceOf(small.accountId)).toBe(creditsOf(400))
    expect(await scene.settle(large.txHash, large.accountId)).toMatchObject({
      deposits: [{ state: 'confirming', reason: 'confirming' }],
    })
    second.restore()
    const reader = openChainReader({ rules: chain.rules, rpcUrls: [first.url], clock: scene.clock })
    const deps = { ...scene.deps, chains: new Map([[4663 as const, reader]]) }
    const question = { chainId: 4663 as const, txHash: large.txHash, accountId: large.accountId }
    expect(await settleTransaction(deps, question)).toMatchObject({
      deposits: [{ state: 'under_review', note: 'Only one provider can tell of it.' }],
    })
  })

  test('is left to an operator beyond the limit, and credited once it is let pass', async () => {
    const { accountId, txHash } = await payFinal(20_000)
    const seen = await scene.settle(txHash, accountId)
    expect(seen).toMatchObject({ deposits: [{ state: 'under_review', credits: creditsOf(20_000) }] })
    const [deposit] = await scene.deps.deposits.listByAccount(accountId, { limit: 1 })
    const release = { state: 'confirming', reason: 'confirming', releasedAt: scene.clock.now() } as const
    await scene.deps.deposits.change(deposit!, ['under_review'], release, scene.clock.now())
    await scene.settle(txHash, accountId)
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(20_000))
  })

  test.each([
    ['zero', 0n, 0],
    ['negative', -1n, 0],
    ['beyond belief', 1n, 0],
    ['stale', 2_500_00000000n, 26 * 3_600],
  ])('with a price that is %s keeps the deposit waiting, and loses nothing', async (_name, answer, ageSeconds) => {
    const now = (await chain.client.getBlock()).timestamp
    if (ageSeconds === 0) await chain.pushPrice(ETH_FEED, answer, now)
    else await chain.client.increaseTime({ seconds: ageSeconds })
    await chain.client.mine({ blocks: 1 })
    const { accountId, txHash } = await etherFinal()
    const outcome = await scene.settle(txHash, accountId)
    expect(outcome).toMatchObject({ deposits: [{ state: 'confirming', reason: 'awaiting_price', credits: null }] })
    expect(await scene.balanceOf(accountId)).toBe(0n)
  })

  test('whose finality does not advance is not believed', async () => {
    const { accountId, txHash } = await payFinal(20)
    const rules = { ...chain.rules, finalityAgeMaxMs: 60_000 }
    const clock = { now: () => scene.clock.now() + 120_000, elapsed: () => scene.clock.elapsed() }
    const reader = openChainReader({ rules, rpcUrls: [chain.url], clock })
    const deps = { ...scene.deps, clock, chains: new Map([[4663 as const, reader]]) }
    const question = { chainId: 4663 as const, txHash, accountId }
    expect(await settleTransaction(deps, question)).toMatchObject({ kind: 'unavailable' })
  })
})
