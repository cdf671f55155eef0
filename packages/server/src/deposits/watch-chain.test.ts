import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { encodeFunctionData, erc20Abi } from 'viem'
import { creditsOf, openDepositScene, type DepositScene } from '../../testing/deposit-scene.ts'
import { hasEvm, MULTICALL, startEvmChain, TOKEN, usdg, type EvmChain } from '../../testing/evm-chain.ts'
import { startRpcProxy, type RpcProxy } from '../../testing/rpc-proxy.ts'
import type { Hex } from '../chain/assets.ts'
import { openChainReader } from '../chain/open-chain-reader.ts'
import { ChainUnavailableError } from '../chain/chain-unavailable.ts'
import { createChainWatch, type ChainWatch, type WatchDeps } from './chain-watch.ts'
import { watchChain } from './watch-chain.ts'
import { createRetryStore } from './retry-store.ts'
import { createWatchStore } from './watch-store.ts'

const ETHER = 10n ** 18n
/** Worth 25 USD at the price with which a chain begins. */
const CENT = ETHER / 100n
/** Blocks of one search; few, so that a test can have many searches. */
const RANGE = 10

describe.skipIf(!hasEvm())('the watcher', () => {
  let chain: EvmChain
  let proxy: RpcProxy
  let scene: DepositScene
  let deps: WatchDeps
  let watch: ChainWatch
  beforeAll(async () => {
    chain = await startEvmChain()
    proxy = await startRpcProxy(chain.url)
    scene = await openDepositScene('sqlite', chain, { rpcUrls: [proxy.url] })
    deps = {
      ...scene.deps,
      addresses: scene.addresses,
      watch: createWatchStore(scene.database),
      retries: createRetryStore(scene.database),
      rangeBlocks: RANGE,
      onMistake: (error) => {
        throw error
      },
    }
  })
  afterAll(async () => {
    await scene.close()
    await proxy.close()
    await chain.stop()
  })
  beforeEach(() => {
    proxy.restore()
    // Each test begins as a process does: with what the database has, and nothing in memory.
    watch = createChainWatch(deps, scene.reader)
  })

  /** Makes everything final, and lets the watcher look as often as it needs. */
  async function finish(rounds = 1): Promise<void> {
    await chain.finalise()
    for (let round = 0; round < rounds; round++) {
      await chain.client.increaseTime({ seconds: 3 })
      await chain.client.mine({ blocks: 1 })
      await scene.follow()
      await watchChain(deps, watch)
    }
  }

  async function depositsOf(accountId: string) {
    return scene.deps.deposits.listByAccount(accountId, { limit: 20 })
  }

  test('credits USDG without a claim, first seen, then final', async () => {
    await watchChain(deps, watch)
    const { accountId, address } = await scene.createAccount()
    await chain.payToken(address, usdg(12))
    await watchChain(deps, watch)
    expect(await depositsOf(accountId)).toMatchObject([{ state: 'seen', credits: creditsOf(12) }])
    expect(await scene.balanceOf(accountId)).toBe(0n)
    await finish()
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(12))
    expect(watch.state).toMatchObject({ failuresInARow: 0, cursor: watch.state.finalized })
  })

  test('a claim after the watcher, and the watcher after a claim, change nothing', async () => {
    const { accountId, address } = await scene.createAccount()
    const txHash = await chain.payToken(address, usdg(3))
    await finish()
    expect(await scene.settle(txHash, accountId)).toMatchObject({ deposits: [{ state: 'credited' }] })
    await finish(2)
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(3))
  })

  test('goes on from its cursor after a stop', async () => {
    await finish()
    const { accountId, address } = await scene.createAccount()
    await chain.payToken(address, usdg(9))
    // More than one range lies between the stop and the next start.
    await chain.client.mine({ blocks: 40 })
    watch = createChainWatch(deps, scene.reader)
    proxy.restore()
    await finish()
    const ranges = proxy.calls.filter(({ method }) => method === 'eth_getLogs')
    expect(ranges.length).toBeGreaterThan(40 / RANGE)
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(9))
  })

  test('does not follow a provider that answers with a later block where an earlier one was asked for', async () => {
    await finish()
    const { accountId, address } = await scene.createAccount()
    await chain.client.mine({ blocks: 3 * RANGE })
    await chain.payToken(address, usdg(8))
    await chain.finalise()
    await scene.follow()
    const last = await chain.client.getBlockNumber()
    // Its cache answers with one block whatever is asked. Believed, it would move the cursor past the payment.
    const cached = await chain.client.request({
      method: 'eth_getBlockByNumber' as never,
      params: [`0x${last.toString(16)}`, false] as never,
    })
    const cursor = await deps.watch.findCursor(4663, 'token')
    proxy.alter('eth_getBlockByNumber', (told, [block]) => (String(block).startsWith('0x') ? cached : told))
    await expect(watchChain(deps, watch)).rejects.toThrow(ChainUnavailableError)
    expect(await deps.watch.findCursor(4663, 'token')).toEqual(cursor)
    proxy.restore()
    await finish()
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(8))
  })

  // The first process may be killed, or its providers be away, before it has looked once.
  test('begins before the first address, however late it looks for the first time', async () => {
    const { accountId, address } = await scene.createAccount()
    await chain.payToken(address, usdg(11))
    await chain.finalise()
    await scene.database.write([scene.database.read.deleteFrom('chain_cursor').compile()])
    await finish()
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(11))
    expect(await deps.watch.findCursor(4663, 'token')).toMatchObject({ blockNumber: watch.state.finalized })
  })

  // A process that is killed again and again before it has seen a whole range gets on all the same.
  test('goes on in the middle of a range, where a round was cut off', async () => {
    await finish()
    const { accountId, address } = await scene.createAccount()
    const hashes: Hex[] = []
    for (let at = 0; at < 10; at++) hashes.push(await chain.payToken(address, usdg(2)))
    await chain.finalise()
    await scene.follow()
    proxy.alter('eth_getTransactionReceipt', (answer, [hash]) => {
      if (hash === hashes.at(-1)) proxy.goAway()
      return answer
    })
    const whole = { ...deps, rangeBlocks: 1_000 }
    await expect(watchChain(whole, createChainWatch(whole, scene.reader))).rejects.toThrow('did not answer')
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(16))
    proxy.restore()
    await watchChain(whole, watch)
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(20))
    const asked = proxy.calls
      .filter(({ method }) => method === 'eth_getTransactionReceipt')
      .map(({ params }) => params[0])
    expect(hashes.filter((hash) => asked.includes(hash))).toEqual(hashes.slice(-2))
  })

  test('finds ETH of plain payments and of inner calls by the change of a balance', async () => {
    const { accountId, address } = await scene.createAccount()
    await finish()
    await chain.payEther(address, CENT)
    await chain.client.mine({ blocks: 30 })
    const forwarder = await chain.deploy('Forwarder')
    await chain.write('Forwarder.forward', forwarder, [address], { value: 2n * CENT })
    await finish(2)
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(75))
    const ordinals = (await depositsOf(accountId)).map(({ ordinal }) => ordinal)
    expect(ordinals.toSorted()).toEqual(['trace:0', 'tx'])
  })

  test('finds ETH of more blocks than one round looks through, each by its transaction', async () => {
    const { accountId, address } = await scene.createAccount()
    await finish()
    for (let payment = 0; payment < 23; payment++) await chain.payEther(address, CENT / 5n)
    await finish(4)
    const deposits = await scene.deps.deposits.listByAccount(accountId, { limit: 100 })
    expect(deposits).toHaveLength(23)
    expect(deposits.filter(({ ordinal }) => ordinal.startsWith('balance:'))).toEqual([])
    expect(new Set(deposits.map(({ state }) => state))).toEqual(new Set(['credited']))
  })

  test('finds ETH that was paid before what a claim has credited, also after a restart', async () => {
    const { accountId, address } = await scene.createAccount()
    await chain.payEther(address, CENT)
    const claimed = await chain.payEther(address, CENT * 2n)
    await chain.finalise()
    await scene.settle(claimed, accountId)
    watch = createChainWatch(deps, scene.reader)
    await finish(3)
    const deposits = await depositsOf(accountId)
    expect(deposits.map(({ ordinal, state }) => [ordinal, state])).toEqual([
      ['tx', 'credited'],
      ['tx', 'credited'],
    ])
  })

  test('credits ETH by the balance alone where no provider traces or keeps old states', async () => {
    const { accountId, address } = await scene.createAccount()
    await finish()
    proxy.refuse('debug_traceTransaction', -32601)
    const forwarder = await chain.deploy('Forwarder')
    await chain.write('Forwarder.forward', forwarder, [address], { value: 2n * CENT })
    await finish(5)
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(50))
    expect(await depositsOf(accountId)).toMatchObject([{ ordinal: `balance:${address}`, sender: null }])
    await finish(3)
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(50))
  })

  test('what was credited by the balance is not credited again by its transaction', async () => {
    const { accountId, address } = await scene.createAccount()
    await finish()
    proxy.refuse('debug_traceTransaction', -32601)
    const forwarder = await chain.deploy('Forwarder')
    const txHash = await chain.write('Forwarder.forward', forwarder, [address], { value: CENT })
    await finish(5)
    proxy.restore()
    const [deposit] = await depositsOf(accountId)
    expect(await scene.settle(txHash, accountId)).toMatchObject({
      deposits: [{ depositId: deposit?.depositId, ordinal: 'trace:0', state: 'credited', amount: CENT }],
    })
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(25))
    expect(await depositsOf(accountId)).toHaveLength(1)
  })

  test('small deposits wait for each other', async () => {
    const { accountId, address } = await scene.createAccount()
    await chain.payToken(address, usdg(0.4))
    await finish()
    expect(await depositsOf(accountId)).toMatchObject([{ state: 'confirming', reason: 'below_minimum' }])
    await chain.payToken(address, usdg(0.6))
    await finish()
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(1))
  })

  test('many addresses are read with few questions', async () => {
    const accounts = await Promise.all(Array.from({ length: 12 }, () => scene.createAccount()))
    await finish()
    for (const { address } of accounts.slice(0, 3)) await chain.payEther(address, CENT)
    proxy.restore()
    await finish(2)
    for (const { accountId } of accounts.slice(0, 3)) expect(await scene.balanceOf(accountId)).toBe(creditsOf(25))
    const calls = proxy.calls.filter(
      ({ method, params }) => method === 'eth_call' && JSON.stringify(params).includes(MULTICALL),
    )
    expect(calls.length).toBeGreaterThan(0)
  })

  test('a payment that leaves the chain before it is final is taken back', async () => {
    const { accountId, address } = await scene.createAccount()
    await chain.client.mine({ blocks: 4 })
    await chain.payToken(address, usdg(80))
    await watchChain(deps, watch)
    expect(await depositsOf(accountId)).toMatchObject([{ state: 'seen' }])
    await chain.reorganise(1)
    await chain.client.increaseTime({ seconds: 40 })
    await finish()
    expect(await depositsOf(accountId)).toMatchObject([{ state: 'reversed', reason: 'reorg' }])
    expect(await scene.balanceOf(accountId)).toBe(0n)
  })

  // B151: in the new block it comes after other transfers, so its log has another number.
  test('a payment that comes again in another block, behind others, is credited once', async () => {
    const { accountId, address } = await scene.createAccount()
    const [from, other] = [chain.accounts[6]!, chain.accounts[7]!]
    await chain.mint(from.address, usdg(15))
    await chain.mint(other.address, usdg(2))
    await chain.client.mine({ blocks: 4 })
    const txHash = await chain.write('Usdg.transfer', TOKEN, [address, usdg(15)], { from })
    const raw = await chain.client.request({
      method: 'eth_getRawTransactionByHash' as never,
      params: [txHash] as never,
    })
    await chain.client.mine({ blocks: 1 })
    await watchChain(deps, watch)
    const [seen] = await depositsOf(accountId)
    expect(seen).toMatchObject({ txHash, state: 'confirming' })
    await chain.reorganise(2)
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(false)
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [from.address, usdg(2)] })
    const ahead = { account: other, chain: null, to: TOKEN, data, gas: 100_000n, maxPriorityFeePerGas: 90n * 10n ** 9n }
    await chain.client.sendTransaction({ ...ahead, maxFeePerGas: 100n * 10n ** 9n })
    await chain.client.sendRawTransaction({ serializedTransaction: raw as Hex })
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    const receipt = await chain.client.getTransactionReceipt({ hash: txHash })
    expect([receipt.status, receipt.logs[0]?.logIndex]).toEqual(['success', 1])
    expect(receipt.blockHash).not.toBe(seen?.blockHash)
    await finish(2)
    expect(await depositsOf(accountId)).toMatchObject([{ depositId: seen?.depositId, state: 'credited', reason: null }])
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(15))
  })

  test('keeps its place while the chain is away, and catches up', async () => {
    const { accountId, address } = await scene.createAccount()
    await finish()
    await chain.payToken(address, usdg(7))
    await chain.finalise()
    proxy.goAway()
    await expect(watchChain(deps, watch)).rejects.toThrow('did not answer')
    expect(watch.state.failuresInARow).toBe(1)
    proxy.restore()
    await chain.client.increaseTime({ seconds: 20 })
    await finish()
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(7))
  })

  test('keeps its place while the chain refuses to search, and catches up', async () => {
    const { accountId, address } = await scene.createAccount()
    await finish()
    await chain.payToken(address, usdg(7))
    await chain.finalise()
    await scene.follow()
    proxy.refuse('eth_getLogs', -32000)
    await expect(watchChain(deps, watch)).rejects.toThrow(ChainUnavailableError)
    proxy.restore()
    await chain.client.increaseTime({ seconds: 20 })
    await finish()
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(7))
  })

  test('puts a transaction aside that cannot be read, and comes back to it, also after a restart', async () => {
    const [sick, sound] = [await scene.createAccount(), await scene.createAccount()]
    await finish()
    const txHash = await chain.payToken(sick.address, usdg(6))
    await chain.payToken(sound.address, usdg(5))
    await chain.finalise()
    await scene.follow()
    proxy.fail('eth_getTransactionReceipt', ([asked]) => asked === txHash)
    await watchChain(deps, watch)
    expect(await scene.balanceOf(sound.accountId)).toBe(creditsOf(5))
    expect(watch.state).toMatchObject({ failuresInARow: 0, cursor: watch.state.finalized })
    expect(await deps.retries.count(4663)).toBe(1)
    await finish(2)
    expect(await scene.balanceOf(sick.accountId)).toBe(0n)
    proxy.restore()
    watch = createChainWatch(deps, scene.reader)
    // A clock that was a month ahead put it off until then.
    const [now, blockNumber] = [scene.clock.now(), watch.state.finalized]
    const nextAt = now + 30 * 86_400_000
    await deps.retries.note(4663, { kind: 'transaction', txHash, blockNumber }, 'it is unavailable', { now, nextAt })
    await finish()
    expect(await scene.balanceOf(sick.accountId)).toBe(creditsOf(6))
    expect(await deps.retries.count(4663)).toBe(0)
  })

  test('splits a range that a provider refuses, down to the block that is sick, and comes back to that', async () => {
    const [sick, sound] = [await scene.createAccount(), await scene.createAccount()]
    await finish()
    const txHash = await chain.payToken(sick.address, usdg(6))
    await chain.payToken(sound.address, usdg(5))
    const { blockNumber } = await chain.client.getTransactionReceipt({ hash: txHash })
    await chain.finalise()
    await scene.follow()
    proxy.fail('eth_getLogs', ([filter]) => {
      const { fromBlock, toBlock } = filter as { fromBlock: string; toBlock: string }
      return BigInt(fromBlock) <= blockNumber && blockNumber <= BigInt(toBlock)
    })
    await watchChain(deps, watch)
    expect(await scene.balanceOf(sound.accountId)).toBe(creditsOf(5))
    expect(await scene.balanceOf(sick.accountId)).toBe(0n)
    proxy.restore()
    await chain.client.increaseTime({ seconds: 20 })
    await finish()
    expect(await scene.balanceOf(sick.accountId)).toBe(creditsOf(6))
  })

  test('stays where it is when more cannot be read than can be sick by itself', async () => {
    const { accountId, address } = await scene.createAccount()
    await finish()
    for (let at = 0; at < 22; at++) await chain.payToken(address, usdg(1))
    await chain.finalise()
    await scene.follow()
    proxy.fail('eth_getTransactionReceipt')
    const whole = { ...deps, rangeBlocks: 1_000 }
    await expect(watchChain(whole, watch)).rejects.toThrow('cannot be read')
    expect((await deps.watch.findCursor(4663, 'token'))!.blockNumber).toBeLessThan(watch.state.finalized)
    proxy.restore()
    await chain.client.increaseTime({ seconds: 700 })
    await finish(3)
    expect(await scene.balanceOf(accountId)).toBe(creditsOf(22))
  })

  test('an address with an impossible balance holds up no other', async () => {
    const [odd, sound] = [await scene.createAccount(), await scene.createAccount()]
    await finish()
    await chain.client.setBalance({ address: odd.address, value: 10n ** 27n })
    await chain.payEther(sound.address, CENT)
    await finish(2)
    expect(await scene.balanceOf(sound.accountId)).toBe(creditsOf(25))
    expect(await depositsOf(odd.accountId)).toEqual([])
    expect(watch.state.failuresInARow).toBe(0)
    await chain.client.setBalance({ address: odd.address, value: 0n })
  })

  test('traces that hang hold up nothing else, and a stop ends them at once', async () => {
    const [inner, sound] = [await scene.createAccount(), await scene.createAccount()]
    await finish()
    const forwarder = await chain.deploy('Forwarder')
    proxy.hang('debug_traceTransaction')
    await chain.client.setAutomine(false)
    const [account, stranger] = [chain.accounts[3]!, chain.accounts[4]!.address]
    const pay = (to: Hex, value: bigint) =>
      chain.client.sendTransaction({ ...{ account, chain: null, gas: 100_000n }, to, value })
    for (let at = 0; at < 31; at++) await pay(stranger, 1n)
    await pay(sound.address, CENT)
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    await chain.write('Forwarder.forward', forwarder, [inner.address], { value: CENT })
    await finish(1)
    expect(await scene.balanceOf(sound.accountId)).toBe(creditsOf(25))
    const reader = openChainReader({ rules: chain.rules, rpcUrls: [proxy.url], clock: scene.clock })
    const stuck = reader.ask(async (view) => {
      const head = await view.readHead()
      const asked = view.findNativeTransactions(new Set([inner.address]), head.latest.number - 4)
      await expect.poll(() => proxy.calls.at(-1)?.method).toBe('debug_traceTransaction')
      reader.stop()
      return asked
    })
    await stuck
    await expect(reader.ask((view) => view.readHead())).rejects.toThrow('it was stopped')
  })

  test('reports when the code behind the token is exchanged', async () => {
    const changes: string[] = []
    const told: WatchDeps = { ...deps, onTokenChanged: (_chainId, code) => changes.push(code) }
    for (let round = 0; round < 2; round++) await watchChain(told, watch)
    const slot: Hex = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'
    const value: Hex = `0x${'00'.repeat(12)}${'77'.repeat(20)}`
    await chain.client.setStorageAt({ address: chain.rules.token, index: slot, value })
    for (let round = 0; round < 3; round++) await watchChain(told, watch)
    expect(changes).toEqual([`0x${'77'.repeat(20)}`])
  })

  test('raises no alarm for one wrong answer about the code behind the token', async () => {
    const changes: string[] = []
    const told: WatchDeps = { ...deps, onTokenChanged: (_chainId, code) => changes.push(code) }
    for (let round = 0; round < 2; round++) await watchChain(told, watch)
    proxy.alter('eth_getStorageAt', () => `0x${'ff'.repeat(32)}`)
    await watchChain(told, watch)
    proxy.restore()
    for (let round = 0; round < 2; round++) await watchChain(told, watch)
    expect(changes).toEqual([])
  })
})
