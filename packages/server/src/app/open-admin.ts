/**
 * The operator commands put together: on the database of the configuration, beside a running gateway or without one.
 */
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { createAccountStore } from '../access/accounts/account-store.ts'
import { createAccount } from '../access/accounts/create-account.ts'
import { findAccount, listAccounts } from '../access/accounts/list-accounts.ts'
import type { AdminContext } from '../operations/commands/admin-context.ts'
import { ConfigError } from '../config/config-error.ts'
import type { OperatorConfig } from '../config/load-operator-config.ts'
import { storeAddress } from '../config/store-address.ts'
import type { Database } from '../platform/db/database.ts'
import { openDatabase, type OpenDatabase } from '../platform/db/open-database.ts'
import { createDecisionStore } from '../deposits/decision-store.ts'
import { createDepositStore } from '../deposits/deposit-store.ts'
import { readAccountLimits } from '../access/keys/account-limits.ts'
import { createKeyStore } from '../access/keys/key-store.ts'
import { createAccountLimitStore } from '../access/keys/account-limit-store.ts'
import { openLogStore } from '../money/ledger-log/open-log-store.ts'
import { readPublished } from '../money/ledger-log/read-published.ts'
import { runAudit } from '../money/ledger/audit.ts'
import { createLedgerEngine } from '../money/ledger/create-ledger-engine.ts'
import { Ledger } from '../money/ledger/ledger.ts'
import { limitsInForce } from './live-limits.ts'
import { type KnownModelsConfig, listKnownModels } from './list-known-models.ts'
import { LOG_KEY_FILE } from '../config/data-folder.ts'
import { keptElsewhere, keyCommands } from './admin-keys.ts'
import { logCommands } from './admin-log.ts'
import { archiveActions } from './archive-actions.ts'
import { peopleCommands } from './admin-people.ts'
import { moreInvariants } from './audit-sources.ts'
import { openErasing } from './open-erasing.ts'
import { reconcileAlone } from './reconcile-alone.ts'
import { goLiveAlone } from './go-live-alone.ts'
import { takesLocalDeposits } from './open-local-chains.ts'
import { hurryMail, listMail, suppressRecipient } from '../platform/mail/manage-outbox.ts'
import { createOutboxStore } from '../platform/mail/outbox-store.ts'
import { decideReview } from '../operations/actions/decide-review.ts'
import { createAccountExport } from '../operations/actions/account-export-store.ts'
import { eraseAccount } from '../operations/actions/erase-account.ts'
import { exportAccount } from '../operations/actions/export-account.ts'
import { readOverview } from '../money/billing/read-overview.ts'
import { findRequest } from '../operations/actions/find-request.ts'
import { refundRequest } from '../operations/actions/refund-request.ts'
import { requestDeps } from './request-deps.ts'
import { listArchiveFiles } from '../money/ledger/read-archive.ts'
import type { OperationsDeps } from '../operations/actions/operations-deps.ts'
import { recordCredit } from '../operations/actions/record-credit.ts'
import { changeAccountLimits } from '../operations/actions/change-account-limits.ts'
import { changeAccountStatus, endAccount } from '../operations/actions/set-account-state.ts'
import { createJournalStore } from '../access/operators/journal-store.ts'
import { type JournalDeps, keepJournal, type Note, type Operator } from '../access/operators/journal.ts'
import { type Clock, systemClock } from '../platform/runtime/clock.ts'
import { createId } from '../platform/runtime/ids.ts'

const CHECKPOINT_WORKER = new URL('sqlite-checkpoint.worker.ts', import.meta.url)

/** Where the books are, the secret that keys are made with, the gateway's limits, and what is known about models. */
type AdminConfig = Pick<OperatorConfig, 'databaseUrl' | 'peppers' | 'limits' | 'limitsOfFile'> &
  Partial<Pick<OperatorConfig, 'sessionSecret' | 'isProduction' | 'deposits' | 'logKeyFile' | 'proxy'>> &
  KnownModelsConfig

/**
 * Opens the store of a configuration for the operator commands.
 *
 * @throws {MissingStoreError} where no gateway has made one: a mistyped folder must not become a store of its own.
 */
export async function openAdmin(given: AdminConfig): Promise<AdminContext> {
  const clock = systemClock
  const database = await openDatabase({
    url: given.databaseUrl,
    dataDir: given.dataDir,
    checkpointWorker: CHECKPOINT_WORKER,
    isPatient: true,
    schema: 'require',
  })
  const config = { ...given, limits: await limitsInForce(database, given) }
  const ledger = new Ledger({ engine: createLedgerEngine(database) })
  const by: Operator = { operatorId: null, name: operatorName(), way: 'command' }
  const services = { ledger, clock, journal: createJournalStore(database) }
  const note: Note = (action, steps) => keepJournal(services, by, action, steps)
  return {
    now: () => clock.now(),
    store: storeAddress(config),
    ...accountCommands(database, services, note, by),
    ...limitCommands(database, config, services, by),
    ...peopleCommands(database, services, by),
    ...keyCommands(database, config, clock, note),
    listKnownModels: () => listKnownModels(config),
    ...depositCommands(database, services, by),
    hasLocalChains: await takesLocalDeposits({ isProduction: true, deposits: null, upstreams: [], ...config }),
    ...mailCommands(database, clock, config, note),
    credit: (request) => recordCredit(services, by, request),
    ...requestCommands(database, services, by),
    readOverview: (span) => readOverview(database, span),
    reconcile: (wish) => reconcileAlone({ database, clock, config, by }, wish),
    goLive: () => goLiveAlone(config, database, services, by),
    audit: async (checkpoints, folder) => {
      const archive = folder === null ? null : { folder, files: await listArchiveFiles(database.read) }
      const files = { keyFile: logKeyFileOf(config), dataDir: config.dataDir, checkpoints, archive }
      return runAudit(database, clock, moreInvariants(files))
    },
    ...archiveActions(database, services, note),
    ...logCommands(database, { dataDir: config.dataDir, keyFile: logKeyFileOf(config) }, services, by),
    close: async () => {
      await ledger.close()
      await database.close()
    },
  }
}

function logKeyFileOf({ dataDir, logKeyFile = join(dataDir, LOG_KEY_FILE) }: AdminConfig): string {
  return logKeyFile
}

function requestCommands(
  database: OpenDatabase,
  services: JournalDeps & Pick<OperationsDeps, 'ledger'>,
  by: Operator,
): Pick<AdminContext, 'archivedHint' | 'findRequest' | 'refund'> {
  const store = openLogStore(database)
  const deps = requestDeps({ database, store, log: { published: () => readPublished(store) } })
  return {
    archivedHint: deps.archivedHint,
    findRequest: (requestId) => findRequest(deps, requestId),
    refund: (request) => refundRequest({ ...services, ...deps }, by, request),
  }
}

function accountCommands(
  database: Database,
  services: JournalDeps & Pick<OperationsDeps, 'ledger'>,
  note: Note,
  by: Operator,
): Pick<
  AdminContext,
  | ('createAccount' | 'listAccounts' | 'findAccount' | 'exportAccount')
  | ('setAccountStatus' | 'closeAccount' | 'eraseAccount')
> {
  const accounts = createAccountStore(database)
  const writes = { accounts, keys: createKeyStore(database) }
  const deps = { ...services, writesOf: () => writes }
  return {
    createAccount: (request) => {
      const { accountId = createId(services.clock.now()) } = request
      return note(
        // Its id and no name: entries outlive an erasure.
        { action: 'account.create', accountId },
        {
          work: () => createAccount({ store: accounts, clock: services.clock }, { ...request, accountId }),
          outcomeOf: (created) => (created === null ? 'refused' : 'done'),
        },
      )
    },
    listAccounts: (page) => listAccounts(accounts, page),
    findAccount: (accountId) => findAccount(accounts, accountId),
    exportAccount: (input) =>
      exportAccount({ ...services, accounts, sectionsOf: createAccountExport(database) }, by, input),
    setAccountStatus: (input) => changeAccountStatus(deps, by, input),
    closeAccount: (input) => endAccount(deps, by, input),
    eraseAccount: (input) => eraseAccount(openErasing(database, services), by, input),
  }
}

function limitCommands(
  database: Database,
  { limits: gatewayLimits }: AdminConfig,
  services: JournalDeps,
  by: Operator,
): Pick<AdminContext, 'readAccountLimits' | 'changeAccountLimits'> {
  const accountLimitStore = createAccountLimitStore(database)
  const limits = { accountLimitStore, gatewayLimits }
  const writes = { limits: accountLimitStore }
  const deps = { ...services, accounts: createAccountStore(database), limits, writesOf: () => writes }
  return {
    readAccountLimits: async (accountId) => (await readAccountLimits(limits, accountId)).inForce,
    changeAccountLimits: (input) => changeAccountLimits(deps, by, input),
  }
}

function depositCommands(
  database: Database,
  services: JournalDeps,
  by: Operator,
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
    decideDeposit: (request) => decideReview({ ...services, deposits, writesOf: () => ({ decisions }) }, by, request),
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
  note: Note,
): Pick<AdminContext, 'listMail' | 'hurryMail' | 'suppressRecipient'> {
  const store = createOutboxStore(database)
  return {
    listMail: (page) => listMail({ store }, page),
    hurryMail: (mailId) =>
      note(
        { action: 'mail.retry', subject: mailId },
        { work: () => hurryMail({ store, clock }, mailId), outcomeOf: (isDue) => (isDue ? 'done' : 'refused') },
      ),
    suppressRecipient: async (address) => {
      if (sessionSecret !== null) {
        const deps = { store, clock, secret: sessionSecret }
        // The journal does not name the address: suppressed addresses are known by their hash alone.
        return note(
          { action: 'mail.suppress' },
          { work: () => suppressRecipient(deps, address), outcomeOf: (isNew) => (isNew ? 'done' : 'unchanged') },
        )
      }
      throw new ConfigError([
        'SVC_SESSION_SECRET is missing: addresses are known by a hash under it. ' +
          `Give the one that the gateway runs with, or ${keptElsewhere}`,
      ])
    },
  }
}
