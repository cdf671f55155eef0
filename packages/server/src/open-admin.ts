/**
 * The operator commands put together: on the database of the configuration, beside a running gateway or without one.
 */
import { createAccountStore } from './accounts/account-store.ts'
import { createAccount } from './accounts/create-account.ts'
import { findAccount, listAccounts } from './accounts/list-accounts.ts'
import { setAccountStatus } from './accounts/set-account-status.ts'
import type { AdminContext } from './admin/admin-context.ts'
import { runAdmin } from './admin/admin-program.ts'
import { ConfigError } from './config/config-error.ts'
import { loadOperatorConfig, type OperatorConfig } from './config/load-operator-config.ts'
import { openDatabase } from './db/open-database.ts'
import { describeStartFailure } from './describe-start-failure.ts'
import { createKey } from './keys/create-key.ts'
import { createKeyStore } from './keys/key-store.ts'
import { listKeys } from './keys/list-keys.ts'
import { revokeKey } from './keys/revoke-key.ts'
import { runAudit } from './ledger/audit.ts'
import { createLedgerEngine } from './ledger/create-ledger-engine.ts'
import { Ledger } from './ledger/ledger.ts'
import { type KnownModelsConfig, listKnownModels } from './list-known-models.ts'
import { systemClock } from './runtime/clock.ts'
import { scrubSecrets } from './runtime/scrub-secrets.ts'

const WRITER_WORKER = new URL('sqlite-writer.worker.ts', import.meta.url)

/** Where the books are, the secret that keys are made with, and what is known about models. */
type AdminConfig = Pick<OperatorConfig, 'databaseUrl' | 'peppers'> & KnownModelsConfig

/** Opens the database of a configuration for the operator commands. */
export async function openAdmin(config: AdminConfig): Promise<AdminContext> {
  const clock = systemClock
  const database = await openDatabase({ url: config.databaseUrl, dataDir: config.dataDir, writerWorker: WRITER_WORKER })
  const ledger = new Ledger({ engine: createLedgerEngine(database) })
  const accounts = createAccountStore(database)
  const keys = createKeyStore(database)
  return {
    now: () => clock.now(),
    createAccount: (request) => createAccount({ store: accounts, clock }, request),
    listAccounts: (page) => listAccounts(accounts, page),
    findAccount: (accountId) => findAccount(accounts, accountId),
    setAccountStatus: (accountId, status) => setAccountStatus(accounts, accountId, status),
    createKey: async (request) => createKey({ store: keys, peppers: requirePeppers(config), clock }, request),
    listKnownModels: () => listKnownModels(config),
    listKeys: (filter) => listKeys({ store: keys, clock }, filter),
    revokeKey: (keyId) => revokeKey({ store: keys, clock }, keyId),
    credit: (operation) => ledger.submit(operation),
    audit: () => runAudit(database, clock),
    close: async () => {
      await ledger.close()
      await database.close()
    },
  }
}

function requirePeppers({ peppers }: AdminConfig): NonNullable<OperatorConfig['peppers']> {
  if (peppers !== null) return peppers
  throw new ConfigError([
    'SVC_KEY_PEPPER is missing: a key that is made without the gateway’s own pepper would not work. ' +
      'Give the one that the gateway runs with.',
  ])
}

/**
 * Runs one command line as this process: answers on standard output, complaints on standard error, and the exit
 * code.
 */
export async function runAdminProcess(words: readonly string[]): Promise<void> {
  const printError = (text: string): void => void process.stderr.write(`${scrubSecrets(text)}\n`)
  let databaseUrl: string | null = null
  try {
    process.exitCode = await runAdmin(
      {
        open: () => {
          const config = loadOperatorConfig({ env: process.env, workingDir: process.cwd() })
          databaseUrl = config.databaseUrl
          return openAdmin(config)
        },
        print: (text) => void process.stdout.write(`${text}\n`),
        printError,
      },
      words,
    )
  } catch (error) {
    const expected = describeStartFailure(error, { host: '', databaseUrl })
    const message = error instanceof Error && error.message !== '' ? error.message : String(error)
    printError(`error: ${expected ?? message}`)
    process.exitCode = 1
  }
}
