/** Claims of deposits through a whole gateway, against a real EVM node. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { depositSettings } from '../packages/server/testing/deposit-gateway.ts'
import { ETH_FEED, hasEvm, startEvmChain, usdg, type EvmChain } from '../packages/server/testing/evm-chain.ts'
import { createTestAccount, startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { errorOf } from './error-of.ts'

type Hex = `0x${string}`

interface Place {
  readonly chains: readonly { readonly chainId: number; readonly address: Hex; readonly assets: readonly object[] }[]
}

const CREDITS_PER_USD = 1_000n * 1_000_000_000n

describe.skipIf(!hasEvm())('claims', () => {
  let chain: EvmChain
  let gateway: TestGateway
  let address: Hex

  beforeAll(async () => {
    chain = await startEvmChain()
    gateway = await startTestGateway({ credits: '0', ...depositSettings(chain) })
    address = await addressOf()
  })
  afterAll(async () => {
    await gateway.stop()
    await chain.stop()
  })

  async function addressOf(key = gateway.key): Promise<Hex> {
    const place = (await (await gateway.fetch('/deposits/address', { key })).json()) as Place
    return place.chains[0]?.address ?? '0x'
  }

  function claim(body: object | string, key = gateway.key): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return gateway.fetch('/deposits/claim', { method: 'POST', key, headers, body: text })
  }
  const claimUsdg = (txHash: string, key?: string): Promise<Response> =>
    claim({ txHash, asset: 'USDG', chainId: 4663 }, key)
  const posted = async (): Promise<bigint> => (await gateway.balance()).posted

  /** Pays so many dollars to the account in a final block. */
  async function pay(amount: number, to = address): Promise<Hex> {
    const hash = await chain.payToken(to, usdg(amount))
    await chain.finalise()
    return hash
  }

  async function otherKey(): Promise<string> {
    const { accountId, teamId } = await createTestAccount(gateway.gateway, '0')
    return (await gateway.createKey({ accountId, teamId })).rawKey
  }

  test('say where to pay: one address for good, with a payment request for each asset', async () => {
    const place = await (await gateway.fetch('/deposits/address')).json()
    expect(place).toMatchObject({ object: 'deposit_address', mode: 'address', minimum_usd: 1 })
    const [entry] = (place as Place).chains
    expect(entry).toMatchObject({ chainId: 4663, name: 'Robinhood Chain', testnet: false })
    const token = '0x5fc5360D0400a0Fd4f2af552ADD042D716F1d168'
    expect(entry?.assets).toEqual([
      { asset: 'USDG', decimals: 6, token, uri: `ethereum:${token}@4663/transfer?address=${address}` },
      { asset: 'ETH', decimals: 18, token: null, uri: `ethereum:${address}@4663` },
    ])
    expect(await addressOf()).toBe(address)
    expect(await addressOf(await otherKey())).not.toBe(address)
  })

  test('credit a final deposit once, and say the same again', async () => {
    const before = await posted()
    const txHash = await pay(25)
    const first = await claimUsdg(txHash)
    expect(first.headers.get('retry-after')).toBeNull()
    const body = (await first.json()) as { readonly id: string; readonly transfers: readonly object[] }
    expect(body).toMatchObject({
      ...{ object: 'deposit', status: 'credited', credited: true, already_claimed: false, reason: null },
      ...{ txHash, chainId: 4663, asset: 'USDG', amount: '25.000000', amount_usd: 25, credits: 25_000, price_usd: 1 },
      balance: Number(before / 1_000_000_000n) + 25_000,
    })
    expect(body.transfers).toEqual([{ id: body.id, status: 'credited', amount: '25.000000', credits: 25_000 }])
    expect(await (await claimUsdg(txHash)).json()).toEqual({ ...body, already_claimed: true })
    expect((await posted()) - before).toBe(25n * CREDITS_PER_USD)
  })

  // B134
  test('know one deposit by every spelling of its hash', async () => {
    const before = await posted()
    const txHash = await pay(3)
    const digits = txHash.slice(2)
    const mixed = [...digits].map((digit, at) => (at % 2 === 0 ? digit.toUpperCase() : digit)).join('')
    const upper = digits.toUpperCase()
    const spellings = [digits, upper, `0X${digits}`, ` ${txHash} `, `0x${upper}`, `0x${mixed}`, `\t${mixed}\n`, txHash]
    for (const spelling of spellings) expect(await (await claimUsdg(spelling)).json()).toMatchObject({ txHash })
    const stranger = await otherKey()
    for (const spelling of spellings) {
      expect((await errorOf(await claimUsdg(spelling, stranger))).code).toBe('deposit_not_found')
    }
    expect((await posted()) - before).toBe(3n * CREDITS_PER_USD)
  })

  test("tell another account's deposit apart from nothing, and its owner is credited afterwards", async () => {
    const before = await posted()
    const stranger = await otherKey()
    const txHash = await pay(7)
    const early = await errorOf(await claimUsdg(txHash, stranger))
    expect(early).toMatchObject({ code: 'deposit_not_found', param: null })
    expect(await (await claimUsdg(txHash)).json()).toMatchObject({ credited: true, credits: 7_000 })
    // The same answer to the email once it is credited: nothing shows that there is an owner.
    expect(await errorOf(await claimUsdg(txHash, stranger))).toEqual(early)
    const unrelated = await pay(1, chain.accounts[5]?.address)
    expect(await errorOf(await claimUsdg(unrelated, stranger))).toEqual(early)
    expect((await posted()) - before).toBe(7n * CREDITS_PER_USD)
  })

  // B151: nothing is credited before its block is final.
  test('wait for a final block, and say how far it is', async () => {
    const txHash = await chain.payToken(address, usdg(5))
    const pending = await claimUsdg(txHash)
    expect(Number(pending.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await pending.json()).toMatchObject({
      ...{ status: 'pending', credited: false, already_claimed: false, reason: 'confirming', credits: 5_000 },
      transfers: [{ amount: '5.000000' }],
    })
    const again = await (await claimUsdg(txHash)).json()
    expect(again).toMatchObject({ status: 'pending', reason: 'confirming', credits: 5_000 })
    await chain.finalise()
  })

  // B144: not yet in a block is a reason to wait, and no failure that stays.
  test('wait for a block', async () => {
    const before = await posted()
    await chain.client.setAutomine(false)
    const payment = { account: chain.accounts[3]!, chain: null, to: address, value: 10n ** 16n, gas: 30_000n }
    const txHash = await chain.client.sendTransaction(payment)
    const body = { txHash, asset: 'ETH', chainId: 4663 }
    for (let turn = 0; turn < 2; turn++) {
      const waiting = await claim(body)
      expect(waiting.status).toBe(200)
      expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await waiting.json()).toMatchObject({ status: 'pending', credited: false, reason: 'unmined' })
    }
    await chain.client.setAutomine(true)
    await chain.finalise()
    expect(await (await claim(body)).json()).toMatchObject({ credited: true, already_claimed: false, credits: 25_000 })
    expect((await posted()) - before).toBe(25n * CREDITS_PER_USD)
  })

  // B141
  test.each([
    ['an unknown hash', `0x${'12'.repeat(32)}`, 404, 'transaction_not_found'],
    ['a hash that is too short', '0x1234', 400, 'invalid_request'],
    ['a hash with other letters', `0x${'zz'.repeat(32)}`, 400, 'invalid_request'],
    ['a long text', 'a'.repeat(100_000).slice(0, 200), 400, 'invalid_request'],
  ])('refuse %s', async (_what, txHash, status, code) => {
    const response = await claimUsdg(txHash)
    const error = await errorOf(response)
    expect([response.status, error.code, error.param]).toEqual([status, code, status === 400 ? 'txHash' : null])
    if (status === 404) {
      expect(error).toMatchObject({ retryable: true })
      expect(response.headers.get('retry-after')).toBe('10')
    }
  })

  // B139
  test.each([
    ['chainId', { chainId: '4663' }],
    ['chainId', { chainId: 1 }],
    ['chainId', { chainId: undefined }],
    ['chainId', { chainId: 4663.5 }],
    ['asset', { asset: 'usdg' }],
    ['asset', { asset: null }],
    ['txHash', { txHash: 7 }],
  ])('name %s where it is wrong: %o', async (param, more) => {
    const body = { txHash: `0x${'12'.repeat(32)}`, asset: 'USDG', chainId: 4663, ...more }
    expect(await errorOf(await claim(body))).toMatchObject({ code: 'invalid_request', param })
  })

  // Decision 0030: unknown fields are ignored, and 4663.0 is the number 4663.
  test('ignore unknown fields, and take every spelling of the number', async () => {
    const txHash = await pay(2)
    const response = await claim(`{"txHash":"${txHash}","asset":"USDG","chainId":4663.0,"note":"x"}`)
    expect(await response.json()).toMatchObject({ credited: true, chainId: 4663 })
  })

  // B139: coins of the test network are worth nothing, so it is not enabled unless the operator says so.
  test('refuse a chain that is not enabled', async () => {
    const txHash = await pay(2)
    const answer = await errorOf(await claim({ txHash, asset: 'USDG', chainId: 46630 }))
    expect(answer.code).toBe('chain_not_enabled')
  })

  // B142, B137, B136
  test('refuse what moved nothing to the account: reverted, another asset, a token of the same name', async () => {
    const before = await posted()
    const ether = await chain.payEther(address, 10n ** 16n)
    await chain.finalise()
    expect(await errorOf(await claimUsdg(ether))).toMatchObject({ code: 'asset_mismatch', found: ['ETH'] })
    expect(await (await claim({ txHash: ether, asset: 'ETH', chainId: 4663 })).json()).toMatchObject({
      ...{ credited: true, credits: 25_000, amount: '0.010000', price_usd: 2_500 },
    })
    const fake = await chain.deploy('Usdg')
    await chain.write('Usdg.mint', fake, [chain.accounts[0]?.address, usdg(1_000_000)])
    const faked = await chain.write('Usdg.transfer', fake, [address, usdg(1_000_000)])
    await chain.finalise()
    expect((await errorOf(await claimUsdg(faked))).code).toBe('unsupported_token')
    const reverted = await chain.write('Usdg.transfer', fake, [address, usdg(9_000_000)])
    await chain.finalise()
    expect((await errorOf(await claimUsdg(reverted))).code).toBe('transaction_reverted')
    expect((await posted()) - before).toBe(25n * CREDITS_PER_USD)
  })

  test('price ETH at its block, whatever it is worth when it is claimed', async () => {
    const txHash = await chain.payEther(address, 10n ** 17n)
    await chain.finalise()
    await chain.pushPrice(ETH_FEED, 9_999_00000000n)
    expect(await (await claim({ txHash, asset: 'ETH', chainId: 4663 })).json()).toMatchObject({ credits: 250_000 })
    await chain.pushPrice(ETH_FEED, 2_500_00000000n)
  })

  test('keep what is too small, and credit it once it is enough together', async () => {
    const key = await otherKey()
    const to = await addressOf(key)
    const small = await pay(0.6, to)
    for (let turn = 0; turn < 2; turn++) {
      const answer = await errorOf(await claimUsdg(small, key))
      expect(answer).toMatchObject({ code: 'amount_below_minimum', minimum_usd: 1 })
    }
    const more = await pay(0.5, to)
    expect(await (await claimUsdg(more, key)).json()).toMatchObject({ credited: true, credits: 500, balance: 1_100 })
    expect(await (await claimUsdg(small, key)).json()).toMatchObject({ credited: true, credits: 600 })
  })

  test('list deposits newest first, page by page, and show each to its account alone', async () => {
    const key = await otherKey()
    const to = await addressOf(key)
    const hashes = [await pay(2, to), await pay(3, to), await pay(4, to)]
    for (const hash of hashes) await claimUsdg(hash, key)
    const get = async (path: string, as = key): Promise<Response> => gateway.fetch(path, { key: as })
    const first = (await (await get('/deposits?limit=2')).json()) as {
      data: { id: string; txHash: string; status: string }[]
      last_id: string
    }
    expect(first).toMatchObject({ object: 'list', has_more: true, data: [{ credits: 4_000 }, { credits: 3_000 }] })
    const rest = await (await get(`/deposits?limit=2&after=${first.last_id}`)).json()
    expect(rest).toMatchObject({ has_more: false, data: [{ txHash: hashes[0], status: 'credited' }] })
    const id = first.data[0]?.id ?? ''
    expect(await (await get(`/deposits/${id}`)).json()).toEqual(first.data[0])
    const foreign = await errorOf(await get(`/deposits/${id}`, gateway.key))
    expect(foreign).toEqual(await errorOf(await get('/deposits/nonsense', gateway.key)))
    expect(foreign.code).toBe('deposit_not_found')
    expect((await errorOf(await get('/deposits?limit=0'))).param).toBe('limit')
  })

  // B124
  test('need a valid key with the right, at every address of deposits', async () => {
    const narrow = (await gateway.createKey({ rights: ['inference'] })).rawKey
    const revoked = await gateway.createKey()
    await gateway.revokeKey(revoked.keyId)
    const paths = ['/deposits', '/deposits/address', '/deposits/dep_0199f0a8-11d2-7f40-b6c5-2a9d84e07c31']
    for (const path of paths) {
      expect((await errorOf(await gateway.fetch(path, { key: narrow }))).code).toBe('key_scope_denied')
      expect((await errorOf(await gateway.fetch(path, { key: revoked.rawKey }))).code).toBe('invalid_api_key')
      expect((await errorOf(await gateway.fetch(path, { key: null }))).code).toBe('invalid_api_key')
    }
    const hash = `0x${'ab'.repeat(32)}`
    expect((await errorOf(await claimUsdg(hash, narrow))).code).toBe('key_scope_denied')
    expect((await errorOf(await claimUsdg(hash, revoked.rawKey))).code).toBe('invalid_api_key')
  })
})

test.skipIf(!hasEvm())(
  'a key claims as often as its limit says, and the body comes after the throttle',
  async () => {
    const chain = await startEvmChain()
    const gateway = await startTestGateway(depositSettings(chain, { limits: { claims_per_minute: 2 } }))
    const claim = (body: string): Promise<Response> =>
      gateway.fetch('/deposits/claim', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    expect((await errorOf(await claim('{'))).code).toBe('invalid_json')
    expect((await errorOf(await claim('{}'))).code).toBe('invalid_request')
    const limited = await claim('{')
    expect([limited.status, (await errorOf(limited)).code]).toEqual([429, 'claim_rate_limited'])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    // B146: an outage leaves nothing behind that would block the claim afterwards.
    await chain.stop()
    const other = await gateway.createKey()
    const body = JSON.stringify({ txHash: `0x${'ab'.repeat(32)}`, asset: 'USDG', chainId: 4663 })
    const headers = { 'content-type': 'application/json' }
    const away = await gateway.fetch('/deposits/claim', { method: 'POST', key: other.rawKey, headers, body })
    expect([away.status, (await errorOf(away)).code]).toEqual([503, 'chain_unavailable'])
    await gateway.stop()
  },
  60_000,
)

test.skipIf(!hasEvm())(
  'a pending claim needs no other: the watcher credits it',
  async () => {
    const chain = await startEvmChain()
    const settings = depositSettings(chain, { deposits: { watch_ms: 100 } })
    const gateway = await startTestGateway({ credits: '0', ...settings })
    const place = (await (await gateway.fetch('/deposits/address')).json()) as Place
    const txHash = await chain.payToken(place.chains[0]?.address ?? '0x', usdg(5))
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ txHash, asset: 'USDG', chainId: 4663 })
    const claim = async (): Promise<unknown> =>
      (await gateway.fetch('/deposits/claim', { method: 'POST', headers, body })).json()
    expect(await claim()).toMatchObject({ status: 'pending', reason: 'confirming' })
    await chain.finalise()
    await expect.poll(async () => (await gateway.balance()).posted).toBe(5n * CREDITS_PER_USD)
    expect(await claim()).toMatchObject({ status: 'credited', already_claimed: true, credits: 5_000 })
    await gateway.stop()
    await chain.stop()
  },
  60_000,
)
