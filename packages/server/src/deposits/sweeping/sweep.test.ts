import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toHex } from 'viem'
import { generatePrivateKey, mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { eventually } from '../../../testing/eventually.ts'
import { creditsOf, openDepositScene, type DepositScene } from '../../../testing/deposit-scene.ts'
import { hasEvm, PUBLIC_MNEMONIC, startEvmChain, TOKEN, usdg, type EvmChain } from '../../../testing/evm-chain.ts'
import type { Hex } from '../../chain/assets.ts'
import { createOutflowStore } from '../outflow-store.ts'
import { DIRECT } from '../../platform/outbound/open-dispatcher.ts'
import { openSweepChain } from './open-sweep-chain.ts'
import type { SweepChain } from './sweep-chain.ts'
import { readSweepKeys, type SweepKeys } from './sweep-keys.ts'
import type { SweepDeps } from './sweep-deps.ts'
import { sweepChain, type SweepReport } from './sweep.ts'

const ETHER = 10n ** 18n
const WALLET = mnemonicToAccount(PUBLIC_MNEMONIC, { path: `m/44'/60'/7'` }).getHdKey()
const RELAYER = mnemonicToAccount(PUBLIC_MNEMONIC, { addressIndex: 1 }).getHdKey().privateKey

describe.skipIf(!hasEvm())('sweeping', () => {
  let chain: EvmChain
  let scene: DepositScene
  let folder: string
  let keys: SweepKeys
  let treasury: Hex
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-sweep-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
  // A chain of its own for each test: every database begins with the same addresses.
  beforeEach(async () => {
    chain = await startEvmChain()
    scene = await openDepositScene('sqlite', chain)
    treasury = privateKeyToAddress(generatePrivateKey()).toLowerCase() as Hex
    keys = (await writeKeys({ treasury }))[0] as SweepKeys
  })
  afterEach(async () => {
    await scene.close()
    await chain.stop()
  })

  async function writeKeys(over: object = {}, mode = 0o600): Promise<readonly SweepKeys[]> {
    const entry = { xprv: WALLET.privateExtendedKey, relayer: toHex(RELAYER as Uint8Array), treasury, ...over }
    const path = join(folder, 'keys.json')
    await writeFile(path, JSON.stringify({ 4663: entry }))
    await chmod(path, mode)
    return readSweepKeys(path)
  }

  async function depsOf(over: Partial<SweepChain> = {}): Promise<SweepDeps> {
    const opened = await openSweepChain({ chainId: 4663, token: TOKEN, rpcUrls: [chain.url], findProxy: DIRECT })
    return {
      chain: { ...opened, ...over },
      ...{ keys, addresses: scene.addresses, clock: scene.clock },
      keepLease: () => Promise.resolve(true),
      outflows: createOutflowStore(scene.database),
      thresholds: { USDG: usdg(5), ETH: ETHER / 200n },
    }
  }
  const sweep = async (over: Partial<SweepChain> = {}, isDryRun = false): Promise<SweepReport> =>
    sweepChain(await depsOf(over), { isDryRun })
  const tokensOf = (address: Hex) => chain.read('Usdg.balanceOf', TOKEN, [address])
  const outflows = () => scene.database.read.selectFrom('outflow').selectAll().orderBy('outflow_id').execute()

  /** The node answers a broadcast before it has made the block. */
  const expectMoved = (address: Hex, amount: bigint) =>
    eventually(async () => expect([await tokensOf(address), await tokensOf(treasury)]).toEqual([0n, amount]))

  /** Pays, makes it final, and credits it. */
  async function deposit(accountId: string, hash: Hex): Promise<void> {
    await chain.finalise()
    await scene.follow()
    await scene.settle(hash, accountId)
  }
  /** Later deposits to an address that was emptied are still covered by all that ever came to it. */
  async function expectStillCredited(accountId: string, address: Hex): Promise<void> {
    const before = await scene.balanceOf(accountId)
    await deposit(accountId, await chain.payToken(address, usdg(3)))
    await deposit(accountId, await chain.payEther(address, ETHER / 1_000n))
    expect((await scene.balanceOf(accountId)) - before).toBe(creditsOf(5.5))
  }

  test('tokens leave without ether, are recorded, and their addresses go on being credited', async () => {
    const { accountId, address } = await scene.createAccount()
    await deposit(accountId, await chain.payToken(address, usdg(25)))
    expect(await sweep()).toMatchObject({ planned: [{ address, asset: 'USDG', amount: usdg(25) }], problems: [] })
    await expectMoved(address, usdg(25))
    expect(await outflows()).toMatchObject([{ state: 'sent', address, raw_amount: '25000000', raw_fee: '0' }])
    await chain.finalise()
    expect(await sweep()).toMatchObject({ planned: [], finished: 1, moving: 0, problems: [] })
    expect(await outflows()).toMatchObject([{ state: 'final', asset: 'USDG' }])
    await expectStillCredited(accountId, address)
  })

  test('ether leaves less its fee, and what it really cost is recorded', async () => {
    const { accountId, address } = await scene.createAccount()
    await deposit(accountId, await chain.payEther(address, ETHER / 10n))
    const report = await sweep()
    expect(report).toMatchObject({ planned: [{ asset: 'ETH' }], problems: [] })
    await chain.finalise()
    await sweep()
    const [row] = await outflows()
    const left = await chain.client.getBalance({ address })
    const arrived = await chain.client.getBalance({ address: treasury })
    expect(row).toMatchObject({ state: 'final', raw_amount: arrived.toString() })
    expect(BigInt(row?.raw_fee ?? 0) + arrived + left).toBe(ETHER / 10n)
    await expectStillCredited(accountId, address)
  })

  test('a dry run says what would be moved, and moves and records nothing', async () => {
    const { accountId, address } = await scene.createAccount()
    await deposit(accountId, await chain.payToken(address, usdg(25)))
    expect(await sweep({}, true)).toMatchObject({ planned: [{ address, asset: 'USDG' }] })
    expect([await tokensOf(address), await outflows()]).toEqual([usdg(25), []])
  })

  test('what is little, and what is not final, stays', async () => {
    const [small, early] = [await scene.createAccount(), await scene.createAccount()]
    await deposit(small.accountId, await chain.payToken(small.address, usdg(4)))
    await chain.payToken(early.address, usdg(25))
    expect((await sweep()).planned).toEqual([])
  })

  test('many addresses in one round are one payment each', async () => {
    const accounts = [await scene.createAccount(), await scene.createAccount(), await scene.createAccount()]
    for (const { accountId, address } of accounts) await deposit(accountId, await chain.payToken(address, usdg(10)))
    expect((await sweep()).planned).toHaveLength(3)
    // What is on its way is not planned again.
    expect(await sweep()).toMatchObject({ planned: [], problems: [] })
    await chain.finalise()
    expect(await sweep()).toMatchObject({ planned: [], moving: 0, failed: 0 })
    expect((await outflows()).map(({ state }) => state)).toEqual(['final', 'final', 'final'])
    expect(await tokensOf(treasury)).toBe(usdg(30))
  })

  // A round that took longer than its lease, next to a process that has it by now.
  test('a round whose lease is another’s by now sends nothing more', async () => {
    const accounts = [await scene.createAccount(), await scene.createAccount()]
    for (const { accountId, address } of accounts) await deposit(accountId, await chain.payToken(address, usdg(10)))
    const answers = [true]
    const deps = { ...(await depsOf()), keepLease: () => Promise.resolve(answers.shift() ?? false) }
    await expect(sweepChain(deps, { isDryRun: false })).rejects.toThrow('another sweeper is at work by now')
    expect(await outflows()).toHaveLength(1)
    expect((await sweep()).planned).toHaveLength(1)
  })

  // A process that dies after its record and before its sending.
  test('an ether payment that was never sent is sent by the next round, as the very same transaction', async () => {
    const { accountId, address } = await scene.createAccount()
    await deposit(accountId, await chain.payEther(address, ETHER / 10n))
    const broken = await sweep({ broadcast: () => Promise.reject(new Error('gone')) })
    expect(broken).toMatchObject({ planned: [], problems: [`ETH of ${address}: gone`] })
    const [before] = await outflows()
    expect(await sweep()).toMatchObject({ planned: [], moving: 1, problems: [] })
    await chain.finalise()
    expect(await sweep()).toMatchObject({ finished: 1 })
    expect(await outflows()).toMatchObject([{ tx_hash: before?.tx_hash, state: 'final' }])
    expect(await chain.client.getBalance({ address: treasury })).toBe(BigInt(before?.raw_amount ?? 0))
  })

  test('a token payment that was never sent is dropped once it can never be, and made anew', async () => {
    const { accountId, address } = await scene.createAccount()
    await deposit(accountId, await chain.payToken(address, usdg(25)))
    await sweep({ broadcast: () => Promise.reject(new Error('gone')) })
    expect(await sweep()).toMatchObject({ planned: [], moving: 1, failed: 0 })
    await chain.client.increaseTime({ seconds: 1_900 })
    await chain.finalise()
    await scene.follow()
    expect(await sweep()).toMatchObject({ failed: 1, planned: [{ address, asset: 'USDG' }] })
    await chain.finalise()
    expect(await sweep()).toMatchObject({ finished: 1 })
    expect(await tokensOf(treasury)).toBe(usdg(25))
  })

  test('what was planned and not even signed has not left', async () => {
    const { accountId, address } = await scene.createAccount()
    await deposit(accountId, await chain.payToken(address, usdg(25)))
    await sweep({ readDomainSeparator: () => Promise.reject(new Error('gone')) })
    expect(await outflows()).toMatchObject([{ state: 'planned', tx_hash: null }])
    expect(await sweep()).toMatchObject({ failed: 1, planned: [{ address }] })
    await expectMoved(address, usdg(25))
  })

  test('an address that the issuer has frozen holds up no other, and its credits stay', async () => {
    const [frozen, free] = [await scene.createAccount(), await scene.createAccount()]
    for (const { accountId, address } of [frozen, free]) {
      await deposit(accountId, await chain.payToken(address, usdg(10)))
    }
    await chain.write('Usdg.setFrozen', TOKEN, [frozen.address, true])
    await sweep()
    await chain.finalise()
    expect(await sweep()).toMatchObject({ finished: 1, moving: 1 })
    expect([await tokensOf(frozen.address), await tokensOf(treasury)]).toEqual([usdg(10), usdg(10)])
    expect(await scene.balanceOf(frozen.accountId)).toBe(creditsOf(10))
  })

  test('an address of another key is not touched', async () => {
    const { accountId, address } = await scene.createAccount()
    await deposit(accountId, await chain.payToken(address, usdg(25)))
    const other = mnemonicToAccount(PUBLIC_MNEMONIC, { path: `m/44'/60'/8'` }).getHdKey()
    keys = (await writeKeys({ xprv: other.privateExtendedKey }))[0] as SweepKeys
    expect((await sweep()).planned).toEqual([])
  })

  test('a key file that others can read, or that is none, is refused without a word of it', async () => {
    await expect(writeKeys({}, 0o640)).rejects.toThrow('chmod 600')
    for (const over of [{ xprv: 'xprv9broken' }, { relayer: '0x12' }, { treasury: 'nobody' }, { more: 1 }]) {
      const refused = await writeKeys(over).catch((error: Error) => error.message)
      expect(refused).toContain('not well formed')
      expect(refused).not.toMatch(/xprv9|0x12|nobody/)
    }
    await expect(readSweepKeys(join(folder, 'nothing.json'))).rejects.toThrow('cannot be read')
  })

  test('a provider of another chain is refused', async () => {
    const wrong = openSweepChain({ chainId: 46630, token: TOKEN, rpcUrls: [chain.url], findProxy: DIRECT })
    await expect(wrong).rejects.toThrow('answers for chain 4663')
  })
})
