/** One chaos run of deposits: payments arrive on a chain while gateways that watch it are killed at random moments. */
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { valueOfDeposit } from '@svc/contract/deposit-value'
import type { DatabaseEngine } from '../../packages/server/src/platform/db/database.ts'
import type { Hex } from '../../packages/server/src/chain/assets.ts'
import { testXpub } from '../../packages/server/testing/deposit-scene.ts'
import { startEvmChain, TOKEN, type EvmChain } from '../../packages/server/testing/evm-chain.ts'
import type { ProgramEnd } from '../../packages/server/testing/gateway-rig.ts'
import { createRandom, type Random } from '../../packages/server/testing/random.ts'
import { openRig, type Rig } from '../rig/gateway-rig.ts'
import { createPayee, differencesOf, type Paid, type Payee, payEther, payToken } from '../rig/payees.ts'
import { until } from '../rig/until.ts'
import { startFleet, type Fleet } from './gateway-fleet.ts'

export interface DepositChaosOptions {
  readonly engine: DatabaseEngine
  readonly seed: number
  readonly kills: number
  /** More than one only on PostgreSQL. */
  readonly processes: number
  readonly postgresUrl: string | null
  readonly onKill?: (done: number) => void
}

export interface DepositChaosReport {
  /** Transfers that were made on the chain. */
  readonly payments: number
  readonly claims: number
  readonly audit: ProgramEnd
  /** What was paid and what is in the balances, where the two differ. */
  readonly differences: readonly string[]
}

interface Stage {
  readonly random: Random
  readonly chain: EvmChain
  readonly rig: Rig
  readonly fleet: Fleet
  readonly payees: readonly Payee[]
  readonly batchPayer: Hex
  isOver: boolean
  payments: number
  claims: number
}

const PAYEES = 4
const PAUSE_MS_MAX = 700
const PAY_PAUSE_MS_MAX = 400
const ANSWER_MS_MAX = 30_000
/** How long no balance may change before the end is taken as reached. A killed watcher's lease lasts half a minute. */
const STILL_MS_MAX = 240_000
/** How long all of it may take; on a slow machine there may be much to catch up with. */
const SETTLE_MS_MAX = 1_200_000
const BLOCK_MS = 500
const LIMITS = { claims_per_minute: 1_000_000, claims_per_day: 1_000_000, shutdown_grace_ms: 1_000 } as const

/** Pays, claims and kills, and in the end compares every balance with what was paid. */
export async function runDepositChaos(options: DepositChaosOptions): Promise<DepositChaosReport> {
  const random = createRandom(options.seed)
  const chain = await startEvmChain()
  const rig = await openRig({
    ...{ engine: options.engine, postgresUrl: options.postgresUrl, upstreamUrl: 'http://127.0.0.1:9/v1' },
    limits: LIMITS,
    deposits: { watch_ms: 150 },
    env: { SVC_RPC_URLS_4663: chain.url, SVC_DEPOSIT_XPUB: testXpub(), SVC_LOG_LEVEL: 'error' },
  })
  try {
    const fleet = await startFleet(rig, options.processes)
    const payees: Payee[] = []
    for (let at = 0; at < PAYEES; at++) payees.push(await createPayee(rig, fleet.ports[0] ?? 0, `payee ${at}`))
    const batchPayer = await chain.deploy('BatchPayer')
    const stage: Stage = { random, chain, rig, fleet, payees, batchPayer, isOver: false, payments: 0, claims: 0 }
    // Its end is looked at in the end, so that a fault of it leaves no gateway behind.
    const paying = keepPaying(stage).then(
      () => null,
      (error: unknown) => {
        stage.isOver = true
        return { error }
      },
    )
    for (let kill = 1; kill <= options.kills && !stage.isOver; kill++) {
      // Each gateway lives long enough to have answered a claim, and then a random while longer.
      const answered = stage.claims
      await until(() => stage.claims > answered || stage.isOver, ANSWER_MS_MAX)
      await wait(random.below(PAUSE_MS_MAX))
      await fleet.kill(random)
      options.onKill?.(kill)
    }
    stage.isOver = true
    const failed = await paying
    if (failed !== null) throw failed.error
    return await settle(stage)
  } finally {
    await rig.close()
    await chain.stop()
  }
}

/** Pays in every way, one payment after the other, makes blocks, and claims most of it at whichever gateway lives. */
async function keepPaying(stage: Stage): Promise<void> {
  const { random, chain } = stage
  const claims: Promise<void>[] = []
  while (!stage.isOver) {
    const payee = random.pick(stage.payees)
    const { txHash, asset } = await payOnce(stage, payee)
    if (random.below(4) > 0) claims.push(claim(stage, payee, { txHash, asset }))
    if (random.below(2) === 0) await chain.client.mine({ blocks: 1 + random.below(3) })
    await wait(random.below(PAY_PAUSE_MS_MAX))
  }
  await Promise.all(claims)
}

async function payOnce(stage: Stage, payee: Payee): Promise<Paid> {
  const { random, chain } = stage
  const way = random.below(4)
  if (way === 0) {
    stage.payments++
    return payEther(chain, payee, random)
  }
  if (way === 1) {
    const values = [1, 2, 3].map(() => BigInt(1_000_000 + random.below(9_000_000)))
    const receivers = [payee, random.pick(stage.payees), payee]
    for (const [at, value] of values.entries()) {
      const receiver = receivers[at] ?? payee
      receiver.expected += valueOfDeposit(value, 6, '1') ?? 0n
    }
    stage.payments += values.length
    await chain.mint(
      stage.batchPayer,
      values.reduce((sum, value) => sum + value, 0n),
    )
    const args = [TOKEN, receivers.map(({ address }) => address), values]
    return { txHash: await chain.write('BatchPayer.payTokens', stage.batchPayer, args), asset: 'USDG' }
  }
  stage.payments++
  return payToken(chain, payee, random)
}

/** A claim may fail in any way: the watcher goes on without it. */
async function claim(stage: Stage, payee: Payee, payment: Paid): Promise<void> {
  try {
    const { body } = await request(`http://127.0.0.1:${stage.random.pick(stage.fleet.ports)}/api/deposits/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${payee.rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...payment, chainId: 4663 }),
    })
    await body.dump()
    stage.claims++
  } catch {
    // The gateway was killed: that is what this is about.
  }
}

/** What is not credited, by state and reason, and how far the watch is: where to look when something is missing. */
async function reportOpen(rig: Rig): Promise<readonly string[]> {
  const { read } = rig.database
  const deposits = await read.selectFrom('deposit').select(['state', 'reason', 'asset', 'ordinal']).execute()
  const counts = new Map<string, number>()
  for (const { state, reason, asset, ordinal } of deposits) {
    const kind = `${state} ${reason ?? ''} ${asset}${ordinal.startsWith('balance:') ? ' by balance' : ''}`
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const cursors = await read.selectFrom('chain_cursor').selectAll().execute()
  return [
    ...[...counts].map(([kind, count]) => `${count} deposits are ${kind}`),
    ...cursors.map((row) => `cursor ${JSON.stringify(row)}`),
  ]
}

async function settle(stage: Stage): Promise<DepositChaosReport> {
  const { chain, rig, fleet, payees } = stage
  const differing = (): Promise<readonly string[]> => differencesOf(rig, payees, 'exact')
  await chain.finalise()
  const still = { differences: '', since: performance.now() }
  await until(async () => {
    const differences = (await differing()).join()
    if (differences === '') return true
    if (differences !== still.differences) Object.assign(still, { differences, since: performance.now() })
    if (performance.now() - still.since > STILL_MS_MAX) return true
    // The chain has to move, or its newest block would be too old to be believed.
    await chain.client.mine({ blocks: 1 })
    await wait(BLOCK_MS)
    return false
  }, SETTLE_MS_MAX)
  const late = await differing()
  const differences = [
    ...late,
    ...(late.length === 0 ? [] : await reportOpen(rig)),
    ...fleet.faults.filter((fault) => fault.includes('deposit')),
  ]
  await fleet.stop()
  return { payments: stage.payments, claims: stage.claims, audit: await rig.audit(), differences }
}
