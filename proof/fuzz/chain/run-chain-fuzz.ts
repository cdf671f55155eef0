/**
 * Deposits while every node of the chain answers anything: payments arrive, their owners and others claim them, the
 * endpoints of deposits get random requests, and no balance may ever hold more than was paid. Once the nodes are honest
 * again, each must hold exactly that.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { testXpub } from '../../../packages/server/testing/deposit-scene.ts'
import { startEvmChain, type EvmChain } from '../../../packages/server/testing/evm-chain.ts'
import type { ProgramEnd } from '../../../packages/server/testing/gateway-rig.ts'
import { findFreePort } from '../../../packages/server/testing/free-port.mjs'
import { createRandom, type Random } from '../../../packages/server/testing/random.ts'
import type { GatewayProcess } from '../../../packages/server/testing/start-gateway-process.ts'
import { openRig, type Rig } from '../../rig/gateway-rig.ts'
import { createPayee, differencesOf, type Paid, type Payee, payEther, payToken } from '../../rig/payees.ts'
import type { StorageOptions } from '../../rig/storage.ts'
import { isFault } from '../../rig/log-faults.ts'
import { stopInOrder } from '../../rig/stop-in-order.ts'
import { until } from '../../rig/until.ts'
import { fuzzOperation, type OperationResult } from '../fuzz-operation.ts'
import { readFuzzTarget } from '../fuzz-target.ts'
import { KnownNames } from '../known-names.ts'
import { type HostileNode, startHostileNode } from './hostile-node.ts'

export interface ChainFuzzOptions extends StorageOptions {
  readonly seed: number
  /** Payments that arrive while the nodes are hostile. */
  readonly payments: number
  /** Requests to each endpoint of deposits meanwhile. */
  readonly requests: number
}

export interface ChainFuzzReport {
  readonly operations: readonly OperationResult[]
  readonly payments: number
  readonly claims: number
  /** Answers of nodes that were spoilt. */
  readonly spoilt: number
  readonly faults: readonly string[]
  readonly audit: ProgramEnd
}

interface Payment extends Paid {
  readonly payee: Payee
}

interface Stage {
  readonly options: ChainFuzzOptions
  readonly random: Random
  readonly chain: EvmChain
  readonly nodes: readonly HostileNode[]
  readonly rig: Rig
  readonly gateway: GatewayProcess
  readonly payees: readonly [Payee, ...Payee[]]
  readonly paid: Payment[]
  readonly faults: string[]
  claims: number
}

const CHAIN_ID = 4663
const PAYEES = 3
const NODES = 2
/** Spoilt answers in a thousand, by turns: few let rounds of the watcher come far, many let none. */
const HOSTILITY = [5, 30, 200, 20, 800, 10] as const
const TURN = 4
const SETTLE_MS_MAX = 240_000
const STEP_MS = 300
/** A claim asks its nodes several times over, and other work may have the machine. */
const SLOWEST_CLAIM_MS = 120_000
const IDS = ['claimDeposit', 'getDepositAddress', 'listDeposits', 'getDeposit', 'notifyDeposit']

async function createPayees(rig: Rig, { port }: GatewayProcess): Promise<Stage['payees']> {
  const names = Array.from({ length: PAYEES - 1 }, (_none, at) => `payee ${at + 1}`)
  const first = await createPayee(rig, port, 'payee 0')
  return [first, ...(await Promise.all(names.map((name) => createPayee(rig, port, name))))]
}

async function pay({ random, chain, payees, paid }: Stage): Promise<void> {
  const payee = random.pick(payees)
  const way = random.below(3) === 0 ? payEther : payToken
  paid.push({ payee, ...(await way(chain, payee, random)) })
}

/** The state of each deposit that is not credited, and what the payments still lack. */
async function standings({ rig, paid }: Stage): Promise<string> {
  const rows = await rig.database.read.selectFrom('deposit').selectAll().execute()
  const told = paid.map(({ txHash, asset }) => {
    const own = rows.filter((row) => row.tx_hash === txHash)
    const states = own.map((row) => [row.ordinal, row.state, row.reason, row.note, row.raw_amount].join(' '))
    return `${txHash} ${asset}: ${states.join(', ') || 'not recorded'}`
  })
  const balances = rows.filter((row) => row.ordinal.startsWith('balance:'))
  return [...told, ...balances.map((row) => `${row.ordinal}: ${row.state} ${row.raw_amount}`)].join('; ')
}

/** Claims one payment, as its owner or as another account. */
async function claim(stage: Stage, { payee, txHash, asset }: Payment, claimant: Payee): Promise<number> {
  const { statusCode: status, body } = await request(`http://127.0.0.1:${stage.gateway.port}/api/deposits/claim`, {
    method: 'POST',
    headers: { authorization: `Bearer ${claimant.rawKey}`, 'content-type': 'application/json' },
    headersTimeout: SLOWEST_CLAIM_MS,
    body: JSON.stringify({ txHash, asset, chainId: CHAIN_ID }),
  })
  const text = await body.text()
  stage.claims++
  if (status >= 500 && !text.includes('"chain_unavailable"')) {
    stage.faults.push(`a claim of ${txHash} was answered with ${status}: ${text.slice(0, 300)}`)
  }
  if (claimant !== payee && status === 200 && !/"reason":"(?:unmined|reorg)"/.test(text)) {
    stage.faults.push(`a stranger's claim of ${txHash} was answered with ${text.slice(0, 300)}`)
  }
  return status
}

/** Pays and claims, and looks at the balances, while the nodes get worse and better. */
async function payAndClaim(stage: Stage): Promise<void> {
  const { random, chain, nodes, payees, paid, faults, options } = stage
  for (let number = 0; number < options.payments; number++) {
    if (number % TURN === 0) {
      for (const node of nodes) node.beHostile(HOSTILITY[(number / TURN) % HOSTILITY.length] ?? 0)
    }
    await pay(stage)
    if (random.below(2) === 0) await chain.client.mine({ blocks: 1 + random.below(4) })
    const payments = [random.pick(paid), random.pick(paid)]
    await Promise.all(payments.map((payment) => claim(stage, payment, random.pick([payment.payee, ...payees]))))
    faults.push(...(await differencesOf(stage.rig, stage.payees, 'not beyond')))
  }
}

async function fuzzEndpoints(stage: Stage): Promise<OperationResult[]> {
  const { gateway, payees, options, paid, nodes } = stage
  const target = await readFuzzTarget(`http://127.0.0.1:${gateway.port}`)
  for (const node of nodes) node.beHostile(50)
  const claims = paid.map(({ txHash, asset }) => ({ txHash, asset, chainId: CHAIN_ID }))
  const [first, ...others] = payees
  const results: OperationResult[] = []
  for (const id of IDS) {
    const operation = target.operations.find((each) => each.id === id)
    if (operation === undefined || options.requests === 0) continue
    const result = await fuzzOperation(
      {
        ...{ target, port: gateway.port, rawKeys: [first.rawKey, ...others.map(({ rawKey }) => rawKey)] },
        ...{ person: null, known: new KnownNames(), makeThings: () => Promise.resolve(), mustReach: false },
        ...{ upstream: { count: () => 0, since: () => [] }, seed: options.seed, requests: options.requests },
        ...{ path: '0', connections: 4 },
      },
      id === 'claimDeposit' ? { ...operation, examples: claims } : operation,
    )
    results.push({ ...result, id: `${id}, hostile nodes` })
  }
  return results
}

/** With honest nodes everything that was paid is credited. */
async function settle(stage: Stage): Promise<void> {
  const { nodes, chain, paid, faults } = stage
  for (const node of nodes) node.beHostile(0)
  await chain.finalise()
  const isSettled = await until(async () => {
    // A node that reported no payment in a range was believed. The payer reports it.
    for (const payment of paid) await claim(stage, payment, payment.payee)
    if ((await differencesOf(stage.rig, stage.payees, 'exact')).length === 0) return true
    await chain.client.mine({ blocks: 1 })
    await wait(STEP_MS)
    return false
  }, SETTLE_MS_MAX)
  if (!isSettled) faults.push(...(await differencesOf(stage.rig, stage.payees, 'exact')), await standings(stage))
}

async function play(stage: Stage): Promise<OperationResult[]> {
  await payAndClaim(stage)
  const operations = await fuzzEndpoints(stage)
  await settle(stage)
  stage.faults.push(...(await differencesOf(stage.rig, stage.payees, 'exact')))
  stage.faults.push(...(await stopInOrder(stage.rig, stage.gateway)))
  return operations
}

/** Runs it. It needs a chain: ask with `hasEvm` first. */
export async function runChainFuzz(options: ChainFuzzOptions): Promise<ChainFuzzReport> {
  const chain = await startEvmChain()
  const nodes = await Promise.all(
    Array.from({ length: NODES }, (_none, at) => startHostileNode(chain.url, options.seed + at)),
  )
  const rig = await openRig({
    ...{ engine: options.engine, postgresUrl: options.postgresUrl, upstreamUrl: 'http://127.0.0.1:9/v1' },
    deposits: { watch_ms: 100 },
    env: { SVC_RPC_URLS_4663: nodes.map(({ url }) => url).join(','), SVC_DEPOSIT_XPUB: testXpub() },
  })
  try {
    const faults: string[] = []
    const onLine = (line: string): void => void (isFault(line) && faults.push(line.slice(0, 2_000)))
    const gateway = await rig.start(await findFreePort(), { onLine })
    const payees = await createPayees(rig, gateway)
    const random = createRandom(options.seed)
    const stage: Stage = { options, random, chain, nodes, rig, gateway, payees, paid: [], faults, claims: 0 }
    const operations = await play(stage)
    const spoilt = nodes.reduce((sum, node) => sum + node.count(), 0)
    const audit = await rig.audit()
    return { operations, payments: stage.paid.length, claims: stage.claims, spoilt, faults, audit }
  } finally {
    await rig.close()
    for (const node of nodes) await node.close()
    await chain.stop()
  }
}
