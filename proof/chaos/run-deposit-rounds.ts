/**
 * Rounds of deposits that are known by balance and by transaction in turns. In each an account is paid by inner calls,
 * plainly, by batches and in tokens while its nodes trace, do not trace or fail; what arrived is claimed by several
 * processes at once while the watcher looks, processes begin anew, and operators decide. At no time may an account have
 * more than it was paid; with honest nodes it has exactly that.
 */
import type { Hex } from '../../packages/server/src/chain/assets.ts'
import { ChainUnavailableError } from '../../packages/server/src/chain/chain-unavailable.ts'
import type { DatabaseEngine } from '../../packages/server/src/platform/db/database.ts'
import { settleTransaction } from '../../packages/server/src/deposits/settle-transaction.ts'
import { watchChain } from '../../packages/server/src/deposits/watch-chain.ts'
import { valueOfDeposit } from '@svc/contract/deposit-value'
import { TOKEN } from '../../packages/server/testing/evm-chain.ts'
import { createRandom, type Random } from '../../packages/server/testing/random.ts'
import type { RpcProxy } from '../../packages/server/testing/rpc-proxy.ts'
import { openDepositStage, type DepositStage, type RoundPayee } from './deposit-stage.ts'

export interface DepositRoundsOptions {
  readonly engine: DatabaseEngine
  readonly seed: number
  readonly rounds: number
  readonly postgresUrl: string | null
  readonly onRound?: (done: number) => void
}

export interface DepositRoundsReport {
  readonly rounds: number
  readonly payments: number
  readonly claims: number
  /** Payments that the balance had shown before their transactions were found. */
  readonly matched: number
  readonly byBalance: number
  readonly differences: readonly string[]
}

interface Round extends RoundPayee {
  /** Nanocredits of all that was paid. */
  expected: bigint
  readonly hashes: Hex[]
}

interface Play {
  readonly random: Random
  readonly stage: DepositStage
  readonly batchPayer: Hex
  readonly forwarder: Hex
  readonly differences: string[]
  payments: number
  claims: number
}

/** Accounts that are paid side by side: they share the blocks, the nodes and the looks. */
const SIDE_BY_SIDE = 10
const CHAIN_ID = 4663
const TRACE = 'debug_traceTransaction'
/** Looks until everything that honest nodes report must be credited. */
const LOOKS_MAX = 30

/** Plays rounds until there were enough, or something differs. */
export async function runDepositRounds(options: DepositRoundsOptions): Promise<DepositRoundsReport> {
  const random = createRandom(options.seed)
  const stage = await openDepositStage(options)
  try {
    const [batchPayer, forwarder] = [await stage.chain.deploy('BatchPayer'), await stage.chain.deploy('Forwarder')]
    const play: Play = { random, stage, batchPayer, forwarder, differences: [], payments: 0, claims: 0 }
    let done = 0
    while (done < options.rounds && play.differences.length === 0) {
      await playRounds(play, Math.min(SIDE_BY_SIDE, options.rounds - done))
      done += Math.min(SIDE_BY_SIDE, options.rounds - done)
      options.onRound?.(done)
    }
    const { payments, claims, differences } = play
    return { rounds: done, payments, claims, ...(await countFound(stage)), differences }
  } finally {
    await stage.close()
  }
}

async function countFound({ database: { read } }: DepositStage) {
  const count = (table: 'deposit' | 'deposit_match') =>
    read.selectFrom(table).select(({ fn }) => fn.countAll<number>().as('rows'))
  const [matched, byBalance] = [
    await count('deposit_match').executeTakeFirstOrThrow(),
    await count('deposit').where('ordinal', 'like', 'balance:%').executeTakeFirstOrThrow(),
  ]
  return { matched: matched.rows, byBalance: byBalance.rows }
}

async function playRounds(play: Play, count: number): Promise<void> {
  const { stage, random } = play
  const rounds: Round[] = []
  for (let at = 0; at < count; at++) rounds.push({ ...(await stage.createPayee()), expected: 0n, hashes: [] })
  await lookAll(play)
  const acts = 2 + random.below(3)
  for (let act = 0; act < acts; act++) {
    for (const node of stage.nodes) worsen(play, node)
    for (const round of rounds) if (random.below(4) > 0) await pay(play, round)
    if (random.below(4) > 0) await stage.chain.finalise()
    const looks = random.below(6)
    for (let look = 0; look < looks; look++) {
      await stage.pass(3)
      // Some are claimed while the watcher looks, and some are not claimed.
      await Promise.all([lookAll(play), ...claimsOf(play, rounds)])
      await compare(play, rounds, false)
    }
    if (random.below(3) === 0) stage.restart(random.pick(stage.processes))
    if (random.below(3) === 0) await decide(play)
    await Promise.all(claimsOf(play, rounds))
    await compare(play, rounds, false)
  }
  await settle(play, rounds)
}

/** What a node is like for a while. */
function worsen({ random }: Play, node: RpcProxy): void {
  node.restore()
  switch (random.below(6)) {
    case 0:
    case 1:
      return node.fail(TRACE)
    case 2:
      return node.refuse(TRACE, -32_601)
    case 3: {
      const one = random.below(16).toString(16)
      return node.fail(random.pick([TRACE, 'eth_getTransactionReceipt'], TRACE), ([hash]) => String(hash).endsWith(one))
    }
    case 4: {
      const one = random.below(16).toString(16)
      return node.alter('eth_getTransactionReceipt', (told, [hash]) => (String(hash).endsWith(one) ? null : told))
    }
    default:
  }
}

async function pay(play: Play, round: Round): Promise<void> {
  const { random, stage, batchPayer, forwarder } = play
  const { chain } = stage
  // Together they stay below what needs a second opinion, which only a node that traces can give.
  const wei = BigInt(4 + random.below(20)) * 10n ** 14n
  play.payments++
  const way = random.below(5)
  if (way === 0) {
    const amount = BigInt(1_000_000 + random.below(9_000_000))
    round.expected += valueOfDeposit(amount, 6, '1') ?? 0n
    if (random.below(2) === 0) return void round.hashes.push(await chain.payToken(round.address, amount))
    await chain.mint(batchPayer, amount)
    return void round.hashes.push(
      await chain.write('BatchPayer.payTokens', batchPayer, [TOKEN, [round.address], [amount]]),
    )
  }
  round.expected += valueOfDeposit(wei, 18, '2500') ?? 0n
  if (way === 1) return void round.hashes.push(await chain.payEther(round.address, wei))
  if (way === 2) {
    const [half, rest] = [wei / 2n, wei - wei / 2n]
    const args = [
      [round.address, round.address],
      [half, rest],
    ]
    return void round.hashes.push(await chain.write('BatchPayer.payEther', batchPayer, args, { value: wei }))
  }
  const name = way === 3 ? 'Forwarder.forward' : 'Forwarder.payByEnd'
  round.hashes.push(await chain.write(name, forwarder, [round.address], { value: wei }))
}

/** Each account claims some of its own, the same twice now and then, by whichever process. */
function claimsOf(play: Play, rounds: readonly Round[]): Promise<void>[] {
  const { random, stage } = play
  return rounds.flatMap((round) => {
    const hashes = round.hashes.flatMap((txHash) => (random.below(2) === 0 ? [txHash, txHash] : []))
    return hashes.map((txHash) => claim(play, random.pick(stage.processes).deps, round, txHash))
  })
}

async function claim(play: Play, deps: Parameters<typeof settleTransaction>[0], round: Round, txHash: Hex) {
  await settleTransaction(deps, { chainId: CHAIN_ID, txHash, accountId: round.accountId })
  play.claims++
}

/** One look of each process. That nodes do not answer is what this is about. */
async function lookAll({ stage }: Play): Promise<void> {
  await Promise.all(
    stage.processes.map(({ deps, watch }) =>
      watchChain(deps, watch).catch((error: unknown) => {
        if (!(error instanceof ChainUnavailableError)) throw error
      }),
    ),
  )
}

/** An operator lets pass whatever waits for them. */
async function decide({ stage }: Play): Promise<void> {
  const [first] = stage.processes
  if (first === undefined) return
  const { deps } = first
  for (const deposit of await deps.deposits.list({ states: ['under_review'], limit: 100 })) {
    const now = deps.clock.now()
    if (deposit.credits === null) continue
    await deps.deposits.change(deposit, ['under_review'], { state: 'confirming', releasedAt: now, reason: null }, now)
  }
}

/** Notes every account that has more than it was paid; or something else, once all of it must be there. */
async function compare(play: Play, rounds: readonly Round[], isExact: boolean): Promise<boolean> {
  const { read } = play.stage.database
  const ids = rounds.map(({ accountId }) => accountId)
  const rows = await read.selectFrom('balance').selectAll().where('account_id', 'in', ids).execute()
  let isAll = true
  for (const { accountId, expected } of rounds) {
    const posted = rows.find((row) => row.account_id === accountId)?.posted ?? 0n
    if (posted > expected) play.differences.push(`account ${accountId} was paid ${expected} and has ${posted}`)
    else if (posted < expected) {
      isAll = false
      if (isExact) play.differences.push(`account ${accountId} was paid ${expected} and has only ${posted}`)
    }
  }
  return isAll
}

/** With honest nodes everything is there, and the books are sound. */
async function settle(play: Play, rounds: readonly Round[]): Promise<void> {
  const { stage } = play
  for (const node of stage.nodes) node.restore()
  await stage.chain.finalise()
  for (let look = 0; look < LOOKS_MAX; look++) {
    await stage.pass(look < 10 ? 3 : 70)
    await lookAll(play)
    for (const round of rounds) {
      for (const txHash of round.hashes) await claim(play, play.random.pick(stage.processes).deps, round, txHash)
    }
    await decide(play)
    if (await compare(play, rounds, false)) break
  }
  await compare(play, rounds, true)
  const found = await stage.audit()
  if (found !== null) play.differences.push(found)
  if (play.differences.length > 0) play.differences.push(...(await reportDeposits(stage, rounds)))
}

/** The state of everything that those accounts were paid. */
async function reportDeposits({ database }: DepositStage, rounds: readonly Round[]): Promise<readonly string[]> {
  const ids = rounds.map(({ accountId }) => accountId)
  const rows = await database.read.selectFrom('deposit').selectAll().where('account_id', 'in', ids).execute()
  return rows.map((row) =>
    [row.account_id, row.tx_hash, row.ordinal, row.raw_amount, row.block_number, row.state, row.reason, row.note].join(
      ' ',
    ),
  )
}
