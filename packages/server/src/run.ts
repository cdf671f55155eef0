/** One run of the gateway as a process: from the environment to the exit code. */
import { createAccountStore } from './accounts/account-store.ts'
import { seedDemo } from './accounts/seed-demo.ts'
import type { Config } from './config/config.ts'
import { ConfigError } from './config/config-error.ts'
import { loadConfig } from './config/load-config.ts'
import { DataFolderInUseError } from './db/data-folder-lock.ts'
import { createGateway, type Gateway } from './gateway.ts'
import { createKey } from './keys/create-key.ts'
import { createKeyStore } from './keys/key-store.ts'
import { openLogSink } from './runtime/log-sink.ts'
import { createLogger, type Logger } from './runtime/log.ts'
import { welcome } from './welcome.ts'

async function seedSandbox(config: Config, gateway: Gateway): Promise<string | null> {
  if (config.isProduction || config.upstreams.some(({ kind }) => kind !== 'sandbox')) return null
  const { database, clock, ledger, authenticator } = gateway
  const { rawKey } = await seedDemo({
    store: createAccountStore(database),
    clock,
    dataDir: config.dataDir,
    createKey: (request) =>
      createKey(
        { store: createKeyStore(database), peppers: config.peppers, clock },
        { ...request, rights: ['inference', 'deposits', 'keys'] },
      ),
    isValidKey: async (key) => {
      try {
        await authenticator.authenticate(`Bearer ${key}`, 'fresh')
        return true
      } catch {
        return false
      }
    },
    credit: (grant) => ledger.submit({ kind: 'credit', source: 'grant', now: clock.now(), ...grant }),
  })
  return rawKey
}

function stopOnSignals(gateway: Gateway, log: Logger): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals): void => {
    // A second signal means now: what is open is settled by the next start.
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'stopping')
    gateway.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ err: error }, 'the stop failed')
        process.exit(1)
      },
    )
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

async function start(log: Logger, config: Config, notices: readonly string[]): Promise<void> {
  for (const notice of notices) log.warn(notice)
  const gateway = await createGateway({ config, log, onFatal: () => process.exit(1) })
  const demoKey = await seedSandbox(config, gateway)
  await gateway.start()
  stopOnSignals(gateway, log)
  log.info({ host: config.host, port: config.port, upstreams: config.upstreams.map(({ name }) => name) }, 'ready')
  process.stdout.write(welcome(config, demoKey))
}

/** Runs until a signal. Whatever prevents the start is one message that says what to do, and exit code 1. */
export async function run(): Promise<void> {
  let log: Logger | null = null
  try {
    const { config, notices } = loadConfig({ env: process.env, workingDir: process.cwd() })
    const sink = openLogSink()
    process.once('exit', () => sink.flush())
    log = createLogger({ level: config.logLevel, sink })
    await start(log, config, notices)
  } catch (error) {
    if (error instanceof ConfigError || error instanceof DataFolderInUseError)
      process.stderr.write(`svc: ${error.message}\n`)
    else if (log !== null) log.fatal({ err: error }, startFailure(error))
    else throw error
    process.exit(1)
  }
}

function startFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'EADDRINUSE')
    return 'The port is taken. Stop the other server, or choose another with SVC_PORT or SVC_ADMIN_PORT.'
  if (code === 'EACCES') return 'The address may not be used. Choose a port above 1023 with SVC_PORT.'
  return 'The gateway could not start.'
}
