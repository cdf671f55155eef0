/** Wallets that are linked over HTTP, for a gateway where all pay to one address, against a real EVM node. */
import { encodeAbiParameters, encodeFunctionData, getAddress, type Abi } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { depositSettings } from '../packages/server/testing/deposit-gateway.ts'
import { hasEvm, startEvmChain, TOKEN, usdg, type EvmChain } from '../packages/server/testing/evm-chain.ts'
import { createTestAccount, startTestGateway, type TestGateway } from '../packages/server/testing/test-gateway.ts'
import { refusalOf } from './error-of.ts'
import { createSvc } from './run-svc.ts'

type Hex = `0x${string}`

const TREASURY = getAddress(`0x${'7e'.repeat(20)}`)
const ORIGIN = 'https://ai.example.com'
const MAGIC_6492 = '6492649264926492649264926492649264926492649264926492649264926492'
const ENDS = ['POST /deposits/wallets/challenge', 'POST /deposits/wallets', 'GET /deposits/wallets'] as const

describe.skipIf(!hasEvm())('linked wallets', () => {
  let chain: EvmChain
  let gateway: TestGateway
  beforeAll(async () => {
    chain = await startEvmChain()
    const { env, file } = depositSettings(chain)
    const treasury = { SVC_DEPOSIT_MODE: 'treasury', SVC_DEPOSIT_TREASURY: TREASURY, SVC_PUBLIC_URL: ORIGIN }
    gateway = await startTestGateway({ credits: '0', file, env: { ...env, ...treasury } })
  })
  afterAll(async () => {
    await gateway.stop()
    await chain.stop()
  })

  async function createOther() {
    const { accountId, teamId } = await createTestAccount(gateway.gateway, '0')
    return { accountId, key: (await gateway.createKey({ accountId, teamId })).rawKey }
  }
  function post(path: string, body: object, key = gateway.key): Promise<Response> {
    const headers = { 'content-type': 'application/json' }
    return gateway.fetch(path, { method: 'POST', key, headers, body: JSON.stringify(body) })
  }
  const challenge = (address: string, key?: string, chainId = 4663) =>
    post('/deposits/wallets/challenge', { address, chainId }, key)
  async function messageFor(address: string, key?: string): Promise<string> {
    const reply = (await (await challenge(address, key)).json()) as { readonly message: string }
    return reply.message
  }
  const link = (body: { readonly message: string; readonly signature: string }, key?: string) =>
    post('/deposits/wallets', body, key)
  const list = async (key = gateway.key) =>
    ((await (await gateway.fetch('/deposits/wallets', { key })).json()) as { readonly data: readonly object[] }).data
  const claim = (txHash: string, key?: string) => post('/deposits/claim', { txHash, asset: 'USDG', chainId: 4663 }, key)
  const sign = (at: number, message: string) => chain.accounts[at]!.signMessage!({ message })
  const pay = async (amount: number, at: number): Promise<Hex> => {
    const txHash = await chain.payToken(TREASURY.toLowerCase() as Hex, usdg(amount), chain.accounts[at]!)
    await chain.finalise()
    return txHash
  }

  test('are linked, listed and unlinked in a terminal', async () => {
    const { key } = await createOther()
    const svc = createSvc({ SVC_BASE_URL: gateway.baseUrl, SVC_API_KEY: key })
    const { address } = chain.accounts[3]!
    const wallets = (...words: string[]) => svc(['deposit', 'wallets', ...words])
    expect((await wallets()).notes).toContain('No wallets')
    const asked = await wallets('challenge', address)
    expect(asked.notes).toContain('svc deposit wallets link')
    // As a shell writes it into a file and reads it again, with or without a line feed at its end.
    const link = ['deposit', 'wallets', 'link', await sign(3, asked.out)]
    expect(await svc(link, { input: `${asked.out}!` })).toMatchObject({ code: 1, out: '' })
    expect(await svc(link)).toMatchObject({ code: 2, out: '' })
    const linked = await svc(link, { input: `${asked.out}\n` })
    expect(linked).toMatchObject({ code: 0, out: expect.stringContaining(`${address} is linked`) as string })
    expect((await wallets()).out).toMatch(new RegExp(`^WALLET .+\n${address} `))
    expect((await wallets('unlink', address.toLowerCase())).out).toContain('is unlinked')
    expect(await wallets('unlink', address)).toMatchObject({
      code: 1,
      notes: expect.stringContaining('not linked') as string,
    })
    const list = JSON.parse((await wallets('--json')).out) as { data: { unlinked: number | null }[] }
    expect(list.data).toMatchObject([{ address, unlinked: expect.any(Number) as number }])
    svc.remove()
  })

  test('own what they pay from their link to their end, whichever account claims', async () => {
    const place = await (await gateway.fetch('/deposits/address')).json()
    expect(place).toMatchObject({ mode: 'wallet', chains: [{ chainId: 4663, address: TREASURY }] })
    const wallet = chain.accounts[1]!.address
    const message = await messageFor(wallet.toUpperCase().replace('0X', '0x'))
    expect(message).toContain(`\nURI: ${ORIGIN}\n`)
    expect(message).toContain(gateway.accountId)
    const early = await pay(3, 1)
    expect(await refusalOf(await claim(early))).toBe('403 wallet_not_linked')
    const linked = await link({ message, signature: await sign(1, message) })
    const body = (await linked.json()) as { readonly id: string }
    expect(body).toMatchObject({
      object: 'linked_wallet',
      chainId: 4663,
      address: wallet,
      proof: 'eoa',
      unlinked: null,
    })
    expect(await list()).toEqual([body])
    const txHash = await pay(20, 1)
    const other = await createOther()
    expect(await refusalOf(await claim(txHash, other.key))).toBe('403 wallet_not_linked')
    expect(await (await claim(txHash)).json()).toMatchObject({ status: 'credited', credits: 20_000 })

    expect(await list(other.key)).toEqual([])
    const remove = (key = gateway.key) => gateway.fetch(`/deposits/wallets/${body.id}`, { method: 'DELETE', key })
    expect(await refusalOf(await remove(other.key))).toBe('404 wallet_not_found')
    expect(await (await remove()).json()).toEqual({ id: body.id, object: 'linked_wallet.deleted', deleted: true })
    expect(await refusalOf(await remove())).toBe('404 wallet_not_found')
    expect(await list()).toMatchObject([{ id: body.id, unlinked: expect.any(Number) }])
    expect(await refusalOf(await claim(await pay(4, 1)))).toBe('403 wallet_not_linked')
    // What was credited before stays, and is shown to its owner alone.
    expect(await (await claim(txHash)).json()).toMatchObject({ status: 'credited', already_claimed: true })
  })

  test('may be contracts, also such as are not there yet', async () => {
    const { key } = await createOther()
    const wallet = await chain.deploy('SmartAccount', [chain.accounts[2]!.address])
    const message = await messageFor(wallet, key)
    const linked = await link({ message, signature: await sign(2, message) }, key)
    expect(await linked.json()).toMatchObject({ proof: 'contract', address: getAddress(wallet) })

    const factory = await chain.deploy('SmartAccountFactory')
    const salt: Hex = `0x${'09'.repeat(32)}`
    const owner = chain.accounts[3]!.address
    const future = String(await chain.read('SmartAccountFactory.addressOf', factory, [owner, salt]))
    const second = await messageFor(future, key)
    const { abi } = chain.contracts['SmartAccountFactory']!
    const create = encodeFunctionData({ abi: abi as Abi, functionName: 'create', args: [owner, salt] })
    const parts = [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }] as const
    const signature = `${encodeAbiParameters(parts, [factory, create, await sign(3, second)])}${MAGIC_6492}`
    expect(await (await link({ message: second, signature }, key)).json()).toMatchObject({ proof: 'contract' })
    expect(await list(key)).toHaveLength(2)

    await chain.mint(wallet, usdg(6))
    const data = encodeFunctionData({
      abi: chain.contracts['Usdg']!.abi as Abi,
      functionName: 'transfer',
      args: [TREASURY, usdg(6)],
    })
    const txHash = await chain.write('SmartAccount.execute', wallet, [TOKEN, 0n, data])
    await chain.finalise()
    expect(await (await claim(txHash, key)).json()).toMatchObject({ status: 'credited', credits: 6_000 })
  })

  test('are linked by their owner only, once, by the key that asked', async () => {
    const [one, other] = [await createOther(), await createOther()]
    const wallet = chain.accounts[4]!.address
    const message = await messageFor(wallet, one.key)
    const signature = await sign(4, message)
    expect(await refusalOf(await link({ message, signature }, other.key))).toBe('422 wallet_not_proven message')
    const changed = message.replace(one.accountId, other.accountId)
    const forged = { message: changed, signature: await sign(4, changed) }
    expect(await refusalOf(await link(forged, one.key))).toBe('422 wallet_not_proven message')
    const wrong = { message, signature: await sign(5, message) }
    expect(await refusalOf(await link(wrong, one.key))).toBe('422 wallet_not_proven signature')
    // A message that was tried is used up.
    expect(await refusalOf(await link({ message, signature }, one.key))).toBe('422 wallet_not_proven message')
    const again = await messageFor(wallet, one.key)
    expect((await link({ message: again, signature: await sign(4, again) }, one.key)).status).toBe(200)
    const late = await messageFor(wallet, other.key)
    const taken = await link({ message: late, signature: await sign(4, late) }, other.key)
    expect(await refusalOf(taken)).toBe('409 wallet_already_linked')
  })

  test.each([
    [{ chainId: 4663 }, '400 missing_required_parameter address'],
    [{ address: '0x12', chainId: 4663 }, '400 invalid_value address'],
    [{ address: TREASURY, chainId: 1 }, '400 invalid_value chainId'],
    [{ address: TREASURY, chainId: 46630 }, '422 chain_not_enabled chainId'],
  ])('are asked for by address and network: %j is refused', async (body, refusal) => {
    const { key } = await createOther()
    expect(await refusalOf(await post('/deposits/wallets/challenge', body, key))).toBe(refusal)
  })

  test.each([
    [{ message: 'hello', signature: '0x12' }, '422 wallet_not_proven message'],
    [{ message: 'hello', signature: '0x123' }, '400 invalid_value signature'],
    [{ message: 'hello' }, '400 missing_required_parameter signature'],
    [{ message: 'x'.repeat(4_001), signature: '0x12' }, '400 invalid_value message'],
  ])('are linked by message and signature: %j is refused', async (body, refusal) => {
    const { key } = await createOther()
    expect(await refusalOf(await post('/deposits/wallets', body, key))).toBe(refusal)
  })

  test('need a key with the right to deposits', async () => {
    const { rawKey: key } = await gateway.createKey({ rights: ['inference'] })
    for (const end of [...ENDS, 'DELETE /deposits/wallets/wal_1']) {
      const [method = '', path = ''] = end.split(' ')
      expect(await refusalOf(await gateway.fetch(path, { method, key }))).toBe('403 key_scope_denied')
    }
  })

  test('are limited per key', async () => {
    const { key } = await createOther()
    const replies = await Promise.all(Array.from({ length: 21 }, () => challenge(TREASURY, key)))
    const refused = replies.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(1)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refusalOf(refused[0]!)).toBe('429 rate_limit_exceeded')
  })

  test('are not linked where every account has an address of its own', async () => {
    const plain = await startTestGateway({ credits: '0', ...depositSettings(chain) })
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ address: TREASURY, chainId: 4663 })
    const refused = await plain.fetch('/deposits/wallets/challenge', { method: 'POST', headers, body })
    expect(await refusalOf(refused)).toBe('422 chain_not_enabled')
    expect(await (await plain.fetch('/deposits/wallets')).json()).toEqual({ object: 'list', data: [] })
    await plain.stop()
  })
})
