import { createServer } from 'node:http'
import { nanocreditsOf } from '@svc/contract'
import { Agent } from 'undici'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { creditsOf, openDepositScene, type DepositScene } from '../../testing/deposit-scene.ts'
import { ETH_FEED, hasEvm, startEvmChain, TOKEN, type EvmChain } from '../../testing/evm-chain.ts'
import { describeEachEngine, openTestDatabase } from '../../testing/test-database.ts'
import type { Hex } from '../chain/assets.ts'
import { openChainReader } from '../chain/open-chain-reader.ts'
import type { SecondPrice } from './ask-price-opinion.ts'
import { DOUBT_MIN_MS } from './deposit-policy.ts'
import { createPriceSampleStore } from './price-sample-store.ts'
import { PriceTicker } from './price-ticker.ts'

/** Worth 25 USD at the price with which a chain begins. */
const CENT = 10n ** 16n
const USD = 10n ** 8n

/** A price service on this machine. */
async function startTicker() {
  let body = '{"data":{"amount":"2500.00"}}'
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    response.end(body)
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address() as { readonly port: number }
  const dispatcher = new Agent()
  return {
    source: { url: new URL(`http://127.0.0.1:${address.port}/price?pair=ETH`), pointer: '/data/amount', dispatcher },
    tell: (text: string) => void (body = text),
    asked: () => asked,
    close: async () => {
      await dispatcher.destroy()
      await new Promise<void>((done) => void server.close(() => done()))
    },
  }
}

describeEachEngine('a price service', (engine) => {
  test('is asked once a minute, and later returns what it gave then', async () => {
    const open = await openTestDatabase(engine)
    const service = await startTicker()
    let now = 1_700_000_000_000
    const samples = createPriceSampleStore(open.database)
    const ticker = new PriceTicker({ chainId: 4663, source: service.source, samples, clock: { now: () => now } })
    const start = now
    for (const amount of ['2500', '2600.5', '1e3', '-1', '2700']) {
      service.tell(JSON.stringify({ data: { amount } }))
      await ticker.sample()
      await ticker.sample()
      now += 61_000
    }
    expect(service.asked()).toBe(5)
    expect(await ticker.findAt(start + 1_000)).toBe(2_500)
    expect(await ticker.findAt(start + 60_000)).toBe(2_600.5)
    expect(await ticker.findAt(start - 400_000)).toBeNull()
    // What was not asked about is asked for a moment that is near.
    now += 600_000
    service.tell('{"data":{"amount":2800}}')
    expect(await ticker.findAt(now - 10_000)).toBe(2_800)
    for (const text of ['nonsense', '{"data":{"amount":"NaN"}}', '{"data":[]}', '{"data":{"amount":0}}']) {
      now += 1_000_000
      service.tell(text)
      expect(await ticker.findAt(now)).toBeNull()
    }
    await service.close()
    await open.close()
  })
})

describe.skipIf(!hasEvm())('a price of ETH within the band', () => {
  let chain: EvmChain
  let scene: DepositScene
  let snapshot: Hex
  const secondPrices = new Map<4663 | 46630, SecondPrice>()
  beforeAll(async () => {
    chain = await startEvmChain()
  })
  beforeEach(async () => {
    secondPrices.clear()
    snapshot = await chain.client.snapshot()
    const policy = {
      secondPriceFrom: nanocreditsOf(creditsOf(500)),
      secondOpinionFrom: nanocreditsOf(creditsOf(10_000)),
    }
    scene = await openDepositScene('sqlite', chain, { policy })
    Object.assign(scene.deps, { secondPrices })
    await scene.follow()
  })
  afterEach(async () => {
    await scene.close()
    await chain.client.revert({ id: snapshot })
  })
  afterAll(() => chain.stop())

  const tells = (usd: number | null): void => {
    const find = () => Promise.resolve(usd)
    secondPrices.set(4663, { find, tick: () => Promise.resolve(), stop: () => undefined })
  }

  async function pay(value = CENT) {
    const { accountId, address } = await scene.createAccount()
    const txHash = await chain.payEther(address, value)
    await chain.finalise()
    await scene.follow()
    return { accountId, txHash }
  }

  async function settle({ accountId, txHash }: { readonly accountId: string; readonly txHash: Hex }) {
    const outcome = await scene.settle(txHash, accountId)
    if (outcome.kind !== 'deposits') throw new Error(outcome.kind)
    const [deposit] = outcome.deposits
    return { state: deposit?.state, reason: deposit?.reason, note: deposit?.note }
  }

  const passTime = async (): Promise<void> => {
    await chain.client.increaseTime({ seconds: (2 * DOUBT_MIN_MS) / 1_000 })
    await chain.finalise()
    await scene.follow()
  }

  test.each([25_000n, 250n])('that is ten times away is not believed without a second source', async (price) => {
    await chain.pushPrice(ETH_FEED, price * USD)
    const payment = await pay()
    expect(await settle(payment)).toMatchObject({ state: 'confirming' })
    await passTime()
    expect(await settle(payment)).toMatchObject({ state: 'under_review', note: expect.stringContaining('far from') })
    expect(await scene.balanceOf(payment.accountId)).toBe(0n)
  })

  test('that a second source confirms is believed, however it has moved', async () => {
    tells(5_010)
    await chain.pushPrice(ETH_FEED, 5_000n * USD)
    const payment = await pay()
    expect(await settle(payment)).toMatchObject({ state: 'credited' })
    expect(await scene.balanceOf(payment.accountId)).toBe(creditsOf(50))
  })

  test('that a second source denies waits, and is an operator’s once that has lasted', async () => {
    tells(2_400)
    const payment = await pay()
    expect(await settle(payment)).toMatchObject({ state: 'confirming' })
    await passTime()
    expect(await settle(payment)).toMatchObject({ state: 'under_review', note: expect.stringContaining('Two sources') })
  })

  test('of a large deposit is not believed alone, and waits for a second source that says nothing', async () => {
    expect(await settle(await pay(30n * CENT))).toMatchObject({
      ...{ state: 'under_review', note: 'Only one source tells its price.' },
    })
    tells(null)
    const payment = await pay(30n * CENT)
    expect(await settle(payment)).toMatchObject({ state: 'confirming', reason: 'awaiting_price' })
    tells(2_500)
    expect(await settle(payment)).toMatchObject({ state: 'credited' })
  })

  test('is compared with what was believed before', async () => {
    expect(await settle(await pay())).toMatchObject({ state: 'credited' })
    await chain.pushPrice(ETH_FEED, 2_900n * USD)
    expect(await settle(await pay())).toMatchObject({ state: 'credited' })
    await chain.pushPrice(ETH_FEED, 3_700n * USD)
    expect(await settle(await pay())).toMatchObject({ state: 'confirming' })
  })

  test('is read from another feed and by a pool on the chain, as of the block', async () => {
    const feed = '0x00000000000000000000000000000000000feed2'
    await chain.place('PriceFeed', feed)
    await chain.write('PriceFeed.setDescription', feed, ['ETH / USD'])
    await chain.pushPrice(feed, 2_512n * USD)
    const pool = await chain.deploy('Pool')
    // 2,500 USDG for one ETH: 1.0001 to the power of the tick is that price in smallest units.
    const tick = Math.round(Math.log(2_500e-12) / Math.log(1.0001))
    await chain.finalise()
    await scene.follow()
    const read = (secondPrice: { kind: 'feed' | 'pool'; address: Hex }) =>
      openChainReader({ rules: { ...chain.rules, secondPrice }, rpcUrls: [chain.url], clock: scene.clock }).ask(
        async (view) => {
          const head = await view.readHead()
          return view.findSecondPrice(head.finalized, head)
        },
      )
    expect(await read({ kind: 'feed', address: feed })).toBe(2_512)
    for (const [first, at] of [
      [TOKEN, -tick],
      [ETH_FEED, tick],
    ] as const) {
      await chain.write('Pool.set', pool, [first, at, 4_000])
      await chain.finalise()
      expect(await read({ kind: 'pool', address: pool })).toBeCloseTo(2_500, -0.5)
    }
    await chain.write('Pool.set', pool, [TOKEN, -tick, 10])
    await chain.finalise()
    expect(await read({ kind: 'pool', address: pool })).toBeNull()
  })
})
