import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { creditsOf, openDepositScene, type DepositScene } from '../../testing/deposit-scene.ts'
import { hasEvm, startEvmChain, type EvmChain } from '../../testing/evm-chain.ts'
import { startRpcProxy, type RpcProxy } from '../../testing/rpc-proxy.ts'
import { seedReadyDeposit, seenDeposit, hexOf } from '../../testing/seed-deposit.ts'
import { describeEachEngine } from '../../testing/test-database.ts'
import type { Hex } from '../chain/assets.ts'
import { createLedgerEngine } from '../money/ledger/create-ledger-engine.ts'
import { Ledger } from '../money/ledger/ledger.ts'
import { creditDeposit } from './credit-deposit.ts'
import type { TransactionOutcome } from './settle-transaction.ts'
import { createChainWatch, type ChainWatch, type WatchDeps } from './chain-watch.ts'
import { watchChain } from './watch-chain.ts'
import { createRetryStore } from './retry-store.ts'
import { createWatchStore } from './watch-store.ts'

/** Worth 250 USD at the price with which a chain begins: less than what needs a second opinion. */
const TENTH = 10n ** 17n

describe.skipIf(!hasEvm())('a payment that a balance and a transaction show', () => {
  describeEachEngine('on', (engine) => {
    let chain: EvmChain
    let proxy: RpcProxy
    let scene: DepositScene
    let deps: WatchDeps
    let watch: ChainWatch
    let forwarder: Hex
    beforeEach(async () => {
      chain = await startEvmChain()
      proxy = await startRpcProxy(chain.url)
      scene = await openDepositScene(engine, chain, { rpcUrls: [proxy.url] })
      deps = {
        ...scene.deps,
        addresses: scene.addresses,
        watch: createWatchStore(scene.database),
        retries: createRetryStore(scene.database),
        onMistake: (error) => {
          throw error
        },
      }
      watch = createChainWatch(deps, scene.reader)
      forwarder = await chain.deploy('Forwarder')
    })
    afterEach(async () => {
      // The audit is asked at the end: nothing may have been credited twice.
      await scene.close()
      await proxy.close()
      await chain.stop()
    })

    const forward = (address: Hex, value: bigint): Promise<Hex> =>
      chain.write('Forwarder.forward', forwarder, [address], { value })

    async function look(rounds: number): Promise<void> {
      await chain.finalise()
      for (let round = 0; round < rounds; round++) {
        await chain.client.increaseTime({ seconds: 3 })
        await chain.client.mine({ blocks: 1 })
        await scene.follow()
        await watchChain(deps, watch)
      }
    }

    const depositsOf = (accountId: string) => scene.deps.deposits.listByAccount(accountId, { limit: 20 })
    const statesOf = (outcome: TransactionOutcome): readonly string[] =>
      outcome.kind === 'deposits' ? outcome.deposits.map(({ state }) => state) : [outcome.kind]

    test('is one deposit, also where it is claimed at once with the next one', async () => {
      const { accountId, address } = await scene.createAccount()
      await look(1)
      proxy.fail('debug_traceTransaction')
      const first = await forward(address, TENTH)
      await look(5)
      expect(await scene.balanceOf(accountId)).toBe(creditsOf(250))
      proxy.restore()
      const second = await forward(address, TENTH)
      await chain.finalise()
      await scene.follow()
      const claims = await Promise.all(
        [first, second, second, first, second].map((txHash) => scene.settle(txHash, accountId)),
      )
      expect(await scene.balanceOf(accountId)).toBe(creditsOf(500))
      expect(claims.flatMap(statesOf)).not.toContain('under_review')
      for (const txHash of [first, second]) {
        expect(await scene.settle(txHash, accountId)).toMatchObject({
          deposits: [{ state: 'credited', amount: TENTH, credits: creditsOf(250), txHash }],
        })
      }
      expect((await depositsOf(accountId)).map(({ state }) => state)).toEqual(['credited', 'credited'])
      await look(4)
      expect(await scene.balanceOf(accountId)).toBe(creditsOf(500))
    })

    test('is shown as its share where the balance showed several', async () => {
      const { accountId, address } = await scene.createAccount()
      await look(1)
      proxy.refuse('debug_traceTransaction', -32601)
      const hashes = [await forward(address, TENTH / 10n), await forward(address, TENTH / 5n)]
      await look(5)
      expect(await depositsOf(accountId)).toMatchObject([{ state: 'credited', amount: (3n * TENTH) / 10n }])
      proxy.restore()
      const told = await Promise.all(hashes.map((txHash) => scene.settle(txHash, accountId)))
      expect(told).toMatchObject([
        { deposits: [{ state: 'credited', credits: creditsOf(25) }] },
        { deposits: [{ state: 'credited', credits: creditsOf(50) }] },
      ])
      expect(await scene.balanceOf(accountId)).toBe(creditsOf(75))
    })

    test('takes the place of what the balance showed and no operator has decided yet', async () => {
      const { accountId, address } = await scene.createAccount()
      await look(1)
      proxy.refuse('debug_traceTransaction', -32601)
      // Three tenths are worth more than is credited on the word of one provider: they wait for an operator.
      const hashes = [await forward(address, 2n * TENTH), await forward(address, TENTH)]
      await look(5)
      expect(await depositsOf(accountId)).toMatchObject([{ state: 'under_review', amount: 3n * TENTH }])
      proxy.restore()
      expect(await scene.settle(hashes[1]!, accountId)).toMatchObject({ deposits: [{ state: 'credited' }] })
      expect(await scene.balanceOf(accountId)).toBe(creditsOf(250))
      expect(await depositsOf(accountId)).toMatchObject([{ ordinal: 'trace:0' }, { amount: 2n * TENTH, state: 'seen' }])
      await look(3)
      await scene.settle(hashes[0]!, accountId)
      expect(await scene.balanceOf(accountId)).toBe(creditsOf(750))
      await look(3)
      expect(await scene.balanceOf(accountId)).toBe(creditsOf(750))
    })

    test('is not credited where an operator rejected what the balance showed', async () => {
      const { accountId, address } = await scene.createAccount()
      await look(1)
      proxy.refuse('debug_traceTransaction', -32601)
      const txHash = await forward(address, 3n * TENTH)
      await look(5)
      const [held] = await depositsOf(accountId)
      await scene.deps.deposits.change(held!, ['under_review'], { state: 'rejected', reason: null }, scene.clock.now())
      proxy.restore()
      expect(await scene.settle(txHash, accountId)).toMatchObject({
        deposits: [{ depositId: held?.depositId, state: 'rejected' }],
      })
      await look(3)
      expect(await scene.balanceOf(accountId)).toBe(0n)
    })
  })
})

describeEachEngine('what came to an address', (engine) => {
  test('is credited once, however many deposits pass by it at once, from however many processes', async () => {
    const { openTestLedger, assertSound } = await import('../../testing/test-ledger.ts')
    const money = await openTestLedger(engine)
    const { database } = money.test
    const { accountId } = await money.createCaller(0n)
    const address = hexOf(0x44, 20)
    const ours = {
      address_id: 'address-1',
      account_id: accountId,
      chain_id: 4663,
      xpub_id: 'xpub-1',
      derivation_index: 0,
    }
    await database.write([
      database.read
        .insertInto('deposit_address')
        .values({ ...ours, address, created_at: 1_700_000_000_000 })
        .compile(),
    ])
    const deposits = []
    for (let at = 1; at <= 20; at++) {
      deposits.push(await seedReadyDeposit(database, seenDeposit(accountId, { txHash: hexOf(at, 32), address })))
    }
    const others = await Promise.all([money.test.openAgain(), money.test.openAgain()])
    const ledgers = [money.ledger, ...others.map((other) => new Ledger({ engine: createLedgerEngine(other) }))]
    const clock = { now: () => 1_700_000_000_000 }
    const inflow = { amount: 7n * 25_000_000n + 1n, blockNumber: 200 }
    const results = await Promise.all(
      deposits.map((deposit, at) => creditDeposit({ ledger: ledgers[at % 3]!, clock }, deposit, inflow)),
    )
    expect(results.filter(({ kind }) => kind === 'deposited')).toHaveLength(7)
    expect(results.find(({ kind }) => kind === 'exceeds_inflow')).toMatchObject({ inflow: inflow.amount })
    expect((await money.findBalance(accountId)).posted).toBe(7n * 25_000_000_000_000n)
    await assertSound(money, clock.now())
    await money.close()
  })
})
