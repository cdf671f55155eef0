import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDepositScene, type DepositScene } from '../../testing/deposit-scene.ts'
import { hasEvm, startEvmChain, usdg, type EvmChain } from '../../testing/evm-chain.ts'
import { startRpcProxy, type RpcProxy } from '../../testing/rpc-proxy.ts'
import { findEvidence } from './deposit-evidence.ts'

describe.skipIf(!hasEvm())('what providers say of a deposit', () => {
  let chain: EvmChain
  let second: RpcProxy
  let scene: DepositScene
  beforeAll(async () => {
    chain = await startEvmChain()
    second = await startRpcProxy(chain.url)
    scene = await openDepositScene('sqlite', chain, { rpcUrls: [chain.url, second.url] })
  })
  afterAll(async () => {
    await scene.close()
    await second.close()
    await chain.stop()
  })

  test('is shown for each by itself, and of one that is away why it says nothing', async () => {
    const { accountId, address } = await scene.createAccount()
    const txHash = await chain.payToken(address, usdg(20_000))
    await chain.finalise()
    await scene.follow()
    await scene.settle(txHash, accountId)
    const [deposit] = await scene.deps.deposits.listByAccount(accountId, { limit: 1 })
    if (deposit === undefined) throw new Error('the deposit was recorded')
    expect(deposit.state).toBe('under_review')
    const same = { state: 'mined', finality: 'finalized', isAsRecorded: true, price: '1', problem: null }
    expect(await findEvidence(scene.deps.chains, deposit)).toMatchObject([same, same])

    second.alter('eth_getTransactionReceipt', (answer) => {
      const receipt = answer as { logs: { data: string }[] }
      return { ...receipt, logs: receipt.logs.map((log) => ({ ...log, data: `0x${'1'.padStart(64, '0')}` })) }
    })
    const [first, liar] = (await findEvidence(scene.deps.chains, deposit)) ?? []
    expect(first).toMatchObject(same)
    expect(liar).toMatchObject({ ...same, isAsRecorded: false, transfer: { amount: 1n } })

    second.goAway()
    const [, away] = (await findEvidence(scene.deps.chains, deposit)) ?? []
    expect(away).toMatchObject({ state: null, isAsRecorded: false })
    expect(away?.problem).toContain('provider 2')
    expect(away?.problem).not.toContain(second.url)
    expect(await findEvidence(new Map(), deposit)).toBeNull()
  })
})
