/** The sweeper put together: keys from a file, chains and database from the gateway's configuration. */
import { scrubSecrets } from '@svc/contract'
import { setTimeout as pauseFor } from 'node:timers/promises'
import { ASSET_DECIMALS, type Asset, type Hex } from '../chain/assets.ts'
import { namedPath } from '../config/named-path.ts'
import type { DepositChainConfig } from '../config/deposits-config.ts'
import { proxiesOf } from '../config/find-proxy.ts'
import { loadOperatorConfig, type OperatorConfig } from '../config/load-operator-config.ts'
import type { StorePlace } from '../config/store-address.ts'
import type { Database } from '../platform/db/database.ts'
import { openDatabase } from '../platform/db/open-database.ts'
import { createDepositAddressStore } from '../deposits/deposit-address-store.ts'
import { createOutflowStore } from '../deposits/outflow-store.ts'
import { formatAmount } from '../chain/format-amount.ts'
import { parseAmount } from '../chain/parse-amount.ts'
import { createWatchStore } from '../deposits/watch-store.ts'
import type { FindProxy } from '../platform/outbound/open-dispatcher.ts'
import { systemClock } from '../platform/runtime/clock.ts'
import { createId } from '../platform/runtime/ids.ts'
import { describeStartFailure } from './describe-start-failure.ts'
import {
  flag,
  parseProgram,
  type Program,
  type ProgramOption,
  refuseValue,
  requiredText,
  type ValuesOf,
  wholeNumber,
} from '../platform/runtime/program-options.ts'
import { writeLine } from '../platform/runtime/write-line.ts'
import { openSweepChain } from '../deposits/sweeping/open-sweep-chain.ts'
import { readSweepKeys, SweepKeyError, type SweepKeys } from '../deposits/sweeping/sweep-keys.ts'
import { sweepChain, type SweepReport } from '../deposits/sweeping/sweep.ts'

const CHECKPOINT_WORKER = new URL('sqlite-checkpoint.worker.ts', import.meta.url)

/** A sweeper that has moved nothing for so long lets another one begin, in milliseconds. Source: own choice. */
const LEASE_MS = 15 * 60_000

/** Between two rounds at most: eleven days. Source: own choice. */
const SECONDS_MAX = 999_999

/** An amount of an asset in smallest units. */
function amountOption(asset: Asset, otherwiseText: string): ProgramOption<bigint> {
  const rule = `Give an amount of ${asset} with at most ${ASSET_DECIMALS[asset]} decimals, such as ${otherwiseText}.`
  const parse = (text: string): bigint => parseAmount(text, asset) ?? refuseValue(rule)
  const help = `${asset} from which on an address is emptied`
  return { help, takes: 'amount', parse, otherwise: parse(otherwiseText), otherwiseText }
}

const options = {
  keys: requiredText('file', { help: 'JSON file with xprv, relayer and treasury of each chain; mode 600' }),
  'min-usdg': amountOption('USDG', '5'),
  'min-eth': amountOption('ETH', '0.005'),
  every: {
    ...wholeNumber({ help: 'go on, with so many seconds between rounds', otherwise: null, from: 1, to: SECONDS_MAX }),
    takes: 'seconds',
  },
  'dry-run': flag({ help: 'say what would be moved, and send nothing' }),
} as const

type Options = ValuesOf<typeof options>

const program: Program<typeof options> = {
  name: 'npm run sweep --',
  does: 'Moves what came to deposit addresses to the treasury. Runs apart from the gateway.',
  options,
}

/**
 * Runs rounds on every chain of the key file: one, or with `--every` one after another until a signal. A chain that
 * cannot be asked keeps no other waiting, and ends no later round; nor does a database that is away once there was one.
 *
 * @returns the exit code: 1 when something could not be moved, 2 for a wrong command line.
 */
export async function runSweeper(words: readonly string[]): Promise<number> {
  const line = parseProgram(program, words, {
    print,
    printError: (text) => writeLine(process.stderr, scrubSecrets(text)),
  })
  if (line.kind === 'end') return line.exitCode
  let place: StorePlace = { databaseUrl: null, dataDir: '' }
  for (let isFirst = true; ; isFirst = false) {
    let code = 1
    try {
      const config = loadOperatorConfig({ env: process.env, workingDir: process.cwd() })
      place = config
      code = await sweepOnce(config, line.values)
    } catch (error) {
      printError(describeStartFailure(error, { host: '', ...place }) ?? sentenceOf(error))
      if (isFirst) return code
    }
    if (line.values.every === null) return code
    await pauseFor(line.values.every * 1_000)
  }
}

function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return error instanceof SweepKeyError ? message : (message.split('\n')[0] ?? '')
}

async function sweepOnce(config: OperatorConfig, options: Options): Promise<number> {
  const keys = await readSweepKeys(namedPath(options.keys))
  const { databaseUrl: url, dataDir } = config
  const database = await openDatabase({ url, dataDir, checkpointWorker: CHECKPOINT_WORKER, schema: 'require' })
  try {
    let code = 0
    for (const one of keys) {
      const chain = config.deposits?.chains.find(({ chainId }) => chainId === one.chainId)
      const report = await sweepOne(database, one, { chain, findProxy: proxiesOf(config) }, options).catch(
        (error: unknown) => {
          printError(`chain ${one.chainId}: ${sentenceOf(error)}`)
          return null
        },
      )
      if (report === null || report.problems.length > 0) code = 1
    }
    return code
  } finally {
    await database.close()
  }
}

async function sweepOne(
  database: Database,
  keys: SweepKeys,
  { chain, findProxy }: { readonly chain: DepositChainConfig | undefined; readonly findProxy: FindProxy },
  options: Options,
): Promise<SweepReport | null> {
  const { chainId } = keys
  if (chain === undefined || chain.token === null || chain.rpcUrls.length === 0) {
    printError(`chain ${chainId}: the configuration names no provider, so nothing was moved`)
    return null
  }
  const leases = createWatchStore(database)
  const holder = createId(systemClock.now())
  const task = `sweep:${chainId}`
  const keepLease = () => leases.takeLease(task, holder, systemClock.now(), LEASE_MS)
  if (!(await keepLease())) {
    printError(`chain ${chainId}: another sweeper is at work`)
    return null
  }
  try {
    const deps = {
      chain: await openSweepChain({ chainId, token: chain.token as Hex, rpcUrls: chain.rpcUrls, findProxy }),
      ...{ keys, keepLease, clock: systemClock },
      addresses: createDepositAddressStore(database),
      outflows: createOutflowStore(database),
      thresholds: { USDG: options['min-usdg'], ETH: options['min-eth'] },
    }
    const report = await sweepChain(deps, { isDryRun: options['dry-run'] })
    tell(report, options['dry-run'])
    return report
  } finally {
    await leases.endLease(task, holder)
  }
}

function tell({ chainId, finished, failed, moving, planned, problems }: SweepReport, isDryRun: boolean): void {
  const verb = isDryRun ? 'would move' : 'moved'
  for (const { address, asset, amount } of planned) {
    print(`chain ${chainId}: ${verb} ${formatAmount(amount, asset)} ${asset} from ${address}`)
  }
  print(`chain ${chainId}: ${planned.length} new, ${moving} on their way, ${finished} final, ${failed} failed`)
  for (const problem of problems) printError(`chain ${chainId}: ${problem}`)
}

function print(text: string): void {
  writeLine(process.stdout, text)
}

function printError(text: string): void {
  writeLine(process.stderr, `error: ${scrubSecrets(text)}`)
}
