/** The sweeper put together: keys from a file, chains and database from the gateway's configuration. */
import { setTimeout as pauseFor } from 'node:timers/promises'
import { Command, CommanderError } from 'commander'
import { ASSET_DECIMALS, type Asset, type Hex } from './chain/assets.ts'
import { ConfigError } from './config/config-error.ts'
import type { DepositChainConfig } from './config/deposits-config.ts'
import { loadOperatorConfig } from './config/load-operator-config.ts'
import type { Database } from './db/database.ts'
import { openDatabase } from './db/open-database.ts'
import { createDepositAddressStore } from './deposits/deposit-address-store.ts'
import { createOutflowStore } from './deposits/outflow-store.ts'
import { formatAmount } from './chain/format-amount.ts'
import { createWatchStore } from './deposits/watch-store.ts'
import { systemClock } from './runtime/clock.ts'
import { createId } from './runtime/ids.ts'
import { scrubSecrets } from './runtime/scrub-secrets.ts'
import { openSweepChain } from './sweeping/open-sweep-chain.ts'
import { readSweepKeys, SweepKeyError, type SweepKeys } from './sweeping/sweep-keys.ts'
import { sweepChain, type SweepReport } from './sweeping/sweep.ts'

const CHECKPOINT_WORKER = new URL('sqlite-checkpoint.worker.ts', import.meta.url)

/** A round that takes longer than this lets another sweeper begin, in milliseconds. Source: own choice. */
const LEASE_MS = 15 * 60_000

interface Options {
  readonly keys: string
  readonly minUsdg: string
  readonly minEth: string
  readonly every?: string
  readonly dryRun?: boolean
}

/**
 * Runs rounds on every chain of the key file: one, or with `--every` one after another until a signal.
 *
 * @returns the exit code: 1 when something could not be moved.
 */
export async function runSweeper(words: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(words)
    const every = options.every === undefined ? null : secondsOf(options.every)
    for (;;) {
      const code = await sweepOnce(options)
      if (every === null) return code
      await pauseFor(every * 1_000)
    }
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    const isExpected = error instanceof ConfigError || error instanceof SweepKeyError
    printError(isExpected && error instanceof Error ? error.message : message)
    return 1
  }
}

function parseOptions(words: readonly string[]): Options {
  const program = new Command('sweep')
    .description('Move what came to deposit addresses to the treasury. Runs apart from the gateway.')
    .requiredOption('--keys <file>', 'JSON file with xprv, relayer and treasury of each chain; mode 600')
    .option('--min-usdg <amount>', 'USDG from which on an address is emptied', '5')
    .option('--min-eth <amount>', 'ETH from which on an address is emptied', '0.005')
    .option('--every <seconds>', 'go on, with so long a pause between rounds')
    .option('--dry-run', 'say what would be moved, and send nothing')
    .exitOverride()
  return program.parse([...words], { from: 'user' }).opts<Options>()
}

function secondsOf(text: string): number {
  if (/^\d{1,6}$/.test(text) && Number(text) > 0) return Number(text)
  throw new ConfigError(['--every is a number of seconds above 0.'])
}

/** Reads an amount of an asset in smallest units. */
function unitsOf(text: string, asset: Asset): bigint {
  const decimals = ASSET_DECIMALS[asset]
  const [, whole = '', fraction = ''] = /^(\d{1,12})(?:\.(\d+))?$/.exec(text) ?? []
  if (whole !== '' && fraction.length <= decimals) return BigInt(whole + fraction.padEnd(decimals, '0'))
  throw new ConfigError([`"${text}" is not an amount of ${asset}.`])
}

async function sweepOnce(options: Options): Promise<number> {
  const config = loadOperatorConfig({ env: process.env, workingDir: process.cwd() })
  const keys = await readSweepKeys(options.keys)
  const { databaseUrl: url, dataDir } = config
  const database = await openDatabase({ url, dataDir, checkpointWorker: CHECKPOINT_WORKER })
  try {
    let code = 0
    for (const one of keys) {
      const chain = config.deposits?.chains.find(({ chainId }) => chainId === one.chainId)
      const report = await sweepOne(database, one, chain, options)
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
  chain: DepositChainConfig | undefined,
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
  if (!(await leases.takeLease(task, holder, systemClock.now(), LEASE_MS))) {
    printError(`chain ${chainId}: another sweeper is at work`)
    return null
  }
  try {
    const deps = {
      chain: await openSweepChain({ chainId, token: chain.token as Hex, rpcUrls: chain.rpcUrls }),
      ...{ keys, clock: systemClock },
      addresses: createDepositAddressStore(database),
      outflows: createOutflowStore(database),
      thresholds: { USDG: unitsOf(options.minUsdg, 'USDG'), ETH: unitsOf(options.minEth, 'ETH') },
    }
    const report = await sweepChain(deps, { isDryRun: options.dryRun === true })
    tell(report, options.dryRun === true)
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
  process.stdout.write(`${text}\n`)
}

function printError(text: string): void {
  process.stderr.write(`error: ${scrubSecrets(text)}\n`)
}
