/** One run of the gateway as a process: from the environment to the exit code. */
import { inspect } from 'node:util'
import { scrubSecrets } from '@svc/contract'
import { createAccountStore } from '../access/accounts/account-store.ts'
import { seedDemo } from '../access/accounts/seed-demo.ts'
import type { Config } from '../config/config.ts'
import { loadConfig } from '../config/load-config.ts'
import { withLocalDeposits } from './open-local-chains.ts'
import { isConsoleBuilt } from './console-folder.ts'
import { describeStartFailure } from './describe-start-failure.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { createKey } from '../access/keys/create-key.ts'
import { createKeyStore } from '../access/keys/key-store.ts'
import { createAccountLimitStore } from '../access/keys/account-limit-store.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { isPlayground } from './open-console.ts'
import { portOf } from './own-address.ts'
import { type BufferedLogSink, openLogSink } from '../platform/runtime/log-sink.ts'
import { createLogger, type Logger } from '../platform/runtime/log.ts'
import { createStopSignals } from '../platform/runtime/stop-signals.ts'
import { writeLine } from '../platform/runtime/write-line.ts'
import { welcome } from './welcome.ts'

async function seedSandbox(config: Config, gateway: Gateway): Promise<string | null> {
  if (!isPlayground(config)) return null
  const { database, clock, ledger, authenticator } = gateway
  const { rawKey } = await seedDemo({
    store: createAccountStore(database),
    clock,
    dataDir: config.dataDir,
    createKey: (request) =>
      createKey(
        {
          ...{ store: createKeyStore(database), peppers: config.peppers, clock },
          ...{ accountLimitStore: createAccountLimitStore(database), gatewayLimits: config.limits },
        },
        { ...request, rights: ['inference', 'deposits', 'keys'] },
      ),
    isValidKey: async (key) => {
      try {
        await authenticator.authenticate(`Bearer ${key}`, 'fresh')
        return true
      } catch (error) {
        if (error instanceof ServiceError && error.status === 401) return false
        throw error
      }
    },
    credit: (grant) => ledger.submit({ kind: 'credit', source: 'grant', now: clock.now(), ...grant }),
  })
  return rawKey
}

/** What a stop waits for, so that an operator does not take its silence for a fault. */
function stopText(requests: number, graceMs: number): string {
  if (requests === 0) return 'stopping'
  const open = requests === 1 ? '1 open request' : `${requests} open requests`
  return `stopping: waits up to ${Math.ceil(graceMs / 1_000)} s for ${open}; a second Ctrl-C ends at once`
}

/** The exit code of a stop that has left settlements unwritten. Source: docs/operations.md, exit codes. */
const UNWRITTEN_CODE = 3
const UNWRITTEN = 'stopped, but the settlements of these requests could not be written: they are settled by their holds'
const PENDING = 'settlements wait in a file: the next gateway that starts on this data folder writes them'
const LOGGED_MAX = 100

function stopOnSignals(gateway: Gateway, log: Logger, graceMs: number): void {
  const stop = (signal: NodeJS.Signals): void => {
    const requests = gateway.openRequests()
    const text = stopText(requests, graceMs)
    log.info({ signal, requests, graceMs }, text)
    // A person who has pressed Ctrl-C reads so, too, where the log is quiet.
    if (process.stdout.isTTY && !log.isLevelEnabled('info')) writeLine(process.stdout, `\n  ${text}`)
    const startedAt = performance.now()
    gateway.stop().then(
      ({ unwritten, pending, journal }) => {
        if (pending > 0) log.warn({ settlements: pending, file: journal }, PENDING)
        const ms = Math.round(performance.now() - startedAt)
        if (unwritten.length === 0) {
          log.info({ ms }, 'stopped')
          process.exit(0)
        }
        log.fatal({ ms, request_ids: unwritten.slice(0, LOGGED_MAX), count: unwritten.length }, UNWRITTEN)
        process.exit(UNWRITTEN_CODE)
      },
      (error: unknown) => {
        log.fatal({ err: error }, 'the stop failed')
        process.exit(1)
      },
    )
  }
  // A second signal means now: what is open is settled by the next start.
  const take = createStopSignals({ now: () => performance.now(), stop, end: () => process.exit(1) })
  process.on('SIGINT', take)
  process.on('SIGTERM', take)
}

interface Output {
  readonly log: Logger
  readonly sink: BufferedLogSink
}

/** How the process was started. */
export interface RunOptions {
  /** What an operator command begins with, as far as the start shows any. */
  readonly adminCommand: string
  /** As in `GatewayOptions`. */
  readonly keepsLedgerLog?: boolean
}

interface Starting extends RunOptions {
  readonly config: Config
  readonly notices: readonly string[]
}

async function start(
  { log, sink }: Output,
  { config, notices, adminCommand, keepsLedgerLog = true }: Starting,
): Promise<void> {
  for (const notice of notices) log.warn(notice)
  const gateway = await createGateway({ config, log, keepsLedgerLog, onFatal: () => process.exit(1) })
  const demoKey = await seedSandbox(config, gateway)
  const listening = { ...config, port: portOf(await gateway.start()) }
  stopOnSignals(gateway, log, config.limits.shutdownGraceMs)
  log.info({ host: config.host, port: listening.port, upstreams: config.upstreams.map(({ name }) => name) }, 'ready')
  // What a person is to read comes last.
  sink.flush()
  // Where people are let in by a click, a link is not needed.
  const firstRunAddress = isPlayground(config) ? null : await gateway.console.firstRunAddress()
  const newcomer = { demoKey, firstRunAddress, isConsoleBuilt: isConsoleBuilt() }
  writeLine(process.stdout, welcome(listening, newcomer, { env: process.env, workingDir: process.cwd(), adminCommand }))
}

/** Runs until a signal. Whatever prevents the start is one message that says what to do, and exit code 1. */
export async function run(options: RunOptions): Promise<void> {
  let config: Config | null = null
  let log: Logger | null = null
  try {
    const output = process.stdout.isTTY ? 'terminal' : 'other'
    const loaded = loadConfig({ env: process.env, workingDir: process.cwd(), output })
    config = await withLocalDeposits(loaded.config)
    const sink = openLogSink()
    process.once('exit', () => sink.flush())
    log = createLogger({ level: config.logLevel, sink })
    await start({ log, sink }, { ...options, config, notices: loaded.notices })
  } catch (error) {
    const sentence = describeStartFailure(error, config)
    if (sentence !== null) writeLine(process.stderr, `svc: ${scrubSecrets(sentence)}`)
    else if (log !== null) log.fatal({ err: error }, 'The gateway could not start.')
    else writeLine(process.stderr, `svc: ${scrubSecrets(inspect(error))}`)
    process.exit(1)
  }
}
