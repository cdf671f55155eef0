/**
 * The operator commands put together: on the database of the configuration, beside a running gateway or without one.
 */
import { userInfo } from 'node:os'
import { createAccountStore } from './accounts/account-store.ts'
import { createAccount } from './accounts/create-account.ts'
import { findAccount, listAccounts } from './accounts/list-accounts.ts'
import { setAccountStatus } from './accounts/set-account-status.ts'
import type { AdminContext } from './admin/admin-context.ts'
import { runAdmin } from './admin/admin-program.ts'
import { ConfigError } from './config/config-error.ts'
import { loadOperatorConfig, type OperatorConfig } from './config/load-operator-config.ts'
import type { Database } from './db/database.ts'
import { openDatabase } from './db/open-database.ts'
import { createDecisionStore } from './deposits/decision-store.ts'
import { decideDeposit } from './deposits/decide-deposit.ts'
import { createDepositStore } from './deposits/deposit-store.ts'
import { describeStartFailure } from './describe-start-failure.ts'
import { createKey } from './keys/create-key.ts'
import { createKeyStore } from './keys/key-store.ts'
import { listKeys } from './keys/list-keys.ts'
import { createMirrorStore } from './keys/mirror-store.ts'
import { revokeKey, revokeMirrors } from './keys/revoke-key.ts'
import { runAudit } from './ledger/audit.ts'
import { createLedgerEngine } from './ledger/create-ledger-engine.ts'
import { Ledger } from './ledger/ledger.ts'
import { type KnownModelsConfig, listKnownModels } from './list-known-models.ts'
import { hurryMail, listMail, suppressRecipient } from './mail/manage-outbox.ts'
import { createOutboxStore } from './mail/outbox-store.ts'
import { type Clock, systemClock } from './runtime/clock.ts'
import { scrubSecrets } from './runtime/scrub-secrets.ts'

const WRITER_WORKER = new URL('sqlite-writer.worker.ts', import.meta.url)

/** Where the books are, the secret that keys are made with, and what is known about models. */
type AdminConfig = Pick<OperatorConfig, 'databaseUrl' | 'peppers'> &
  Partial<Pick<OperatorConfig, 'sessionSecret'>> &
  KnownModelsConfig

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
    revokeMirrors: (keyId) => revokeMirrors({ store: createMirrorStore(database), clock }, keyId),
    ...depositCommands(database, clock),
    ...mailCommands(database, clock, config),
    credit: (operation) => ledger.submit(operation),
    audit: () => runAudit(database, clock),
    close: async () => {
      await ledger.close()
      await database.close()
    },
  }
}

function depositCommands(
  database: Database,
  clock: Clock,
): Pick<AdminContext, 'listDeposits' | 'findDeposit' | 'decideDeposit'> {
  const deposits = createDepositStore(database)
  const decisions = createDecisionStore(database)
  return {
    listDeposits: ({ state, account, ...page }) =>
      deposits.list({
        ...page,
        ...(state === undefined ? {} : { states: [state] }),
        ...(account === undefined ? {} : { accountId: account }),
      }),
    findDeposit: async (depositId) => {
      const deposit = await deposits.find(depositId)
      return deposit === null ? null : { deposit, decisions: await decisions.list(depositId) }
    },
    decideDeposit: (request) => decideDeposit({ deposits, decisions, clock, operator: operatorName() }, request),
  }
}

/** Who runs this command, as the machine knows them. */
function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return 'unknown'
  }
}

function mailCommands(
  database: Database,
  clock: Clock,
  { sessionSecret = null }: AdminConfig,
): Pick<AdminContext, 'listMail' | 'hurryMail' | 'suppressRecipient'> {
  const store = createOutboxStore(database)
  return {
    listMail: (page) => listMail({ store }, page),
    hurryMail: (mailId) => hurryMail({ store, clock }, mailId),
    suppressRecipient: async (address) => {
      if (sessionSecret !== null) return suppressRecipient({ store, clock, secret: sessionSecret }, address)
      throw new ConfigError([
        'SVC_SESSION_SECRET is missing: addresses are known by a hash under it. ' +
          'Give the one that the gateway runs with.',
      ])
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
