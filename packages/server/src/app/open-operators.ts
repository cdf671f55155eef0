/** What operators do and see, put together for the pages. Part of the composition. */
import { createAccountStore } from '../access/accounts/account-store.ts'
import { comparePrices } from '../catalog/compare-prices.ts'
import { loadFeatured } from '../catalog/featured.ts'
import { createDecisionStore } from '../deposits/decision-store.ts'
import { createDepositStore } from '../deposits/deposit-store.ts'
import { knownHere } from './follow-keys.ts'
import { createKeyStore } from '../access/keys/key-store.ts'
import { createAccountLimitStore } from '../access/keys/account-limit-store.ts'
import { createAccountDirectory } from '../operations/actions/account-directory-store.ts'
import { createAccountExport } from '../operations/actions/account-export-store.ts'
import type { OperatorWrites } from '../operations/actions/operations-deps.ts'
import type { OperatorServices } from '../operations/actions/operator-services.ts'
import { readUpstreamState } from '../operations/actions/upstream-state.ts'
import { createAnnouncementStore } from '../access/operators/announcement-store.ts'
import { createJournalStore } from '../access/operators/journal-store.ts'
import { createOperatorStore } from '../access/operators/operator-store.ts'
import { writesOf } from '../access/operators/writes-of.ts'
import { createReconciliationStore } from '../money/reconciliation/reconciliation-store.ts'
import { openErasing } from './open-erasing.ts'
import { openOverviews } from './open-overviews.ts'
import { requestDeps } from './request-deps.ts'
import { settingsDeps } from './open-console.ts'
import type { Database } from '../platform/db/database.ts'
import type { Parts } from './open-parts.ts'

/** What is written to a database by an operator. */
function createWrites(database: Database, { catchUp }: Pick<Parts, 'catchUp'>): OperatorWrites {
  return {
    accounts: createAccountStore(database),
    keys: knownHere(createKeyStore(database), ['revokeAllOf'], catchUp),
    limits: createAccountLimitStore(database),
    decisions: createDecisionStore(database),
    settings: createOperatorStore(database),
    announcements: createAnnouncementStore(database),
  }
}

/** Puts the operator's services together. */
export function openOperators(parts: Parts): OperatorServices {
  const { config, database, clock, ledger, upstreams, deposits, audits } = parts
  const operators = createOperatorStore(database)
  const journal = createJournalStore(database)
  const { signIn } = parts.console.deps
  const featured = loadFeatured(config.rateCardUnit)
  const catalog = parts.catalog.catalog
  const reporting = new Set(config.upstreams.filter(({ reportsCost }) => reportsCost).map(({ name }) => name))
  return {
    ...{ clock, ledger, audits, operators },
    requests: requestDeps({ database, store: parts.logStore, log: parts.ledgerLog }),
    readOverview: openOverviews(config, database),
    reconciliations: createReconciliationStore(database),
    reconciled: config.limits.reconcileHours === 0 ? [] : [...parts.figures.keys()],
    reconciler: parts.reconciler,
    reconcilable: config.upstreams.map(({ name }) => ({ name, tellsFigures: parts.figures.has(name) })),
    announcements: createAnnouncementStore(database),
    journal,
    erasing: openErasing(database, { ledger, journal, clock }, (own) =>
      knownHere(createKeyStore(own), ['revokeAllOf'], parts.catchUp),
    ),
    writesOf: (by) => createWrites(writesOf(database, by), parts),
    accounts: createAccountStore(database),
    directory: createAccountDirectory(database),
    keys: createKeyStore(database),
    limits: { accountLimitStore: createAccountLimitStore(database), gatewayLimits: config.limits },
    deposits: createDepositStore(database),
    decisions: createDecisionStore(database),
    settings: settingsDeps(parts),
    people: {
      findUser: async (userId) => (await signIn()).findUser(userId),
      findUserByEmail: async (email) => (await signIn()).findUserByEmail(email),
    },
    sectionsOf: createAccountExport(database),
    chains: deposits?.readers ?? new Map(),
    chainProblems: () => deposits?.problems() ?? [],
    prices: () => comparePrices(catalog, (name) => reporting.has(name)),
    compare: (other) => comparePrices(other, (name) => reporting.has(name)),
    ...{ offers: parts.offers, gatewayLimits: parts.liveLimits },
    unsoldAliases: () => featured.map(({ alias }) => alias).filter((alias) => catalog.find(alias) === null),
    upstreams: () =>
      config.upstreams.flatMap(({ name, kind }) => {
        const upstream = upstreams.get(name)
        return upstream === undefined ? [] : [readUpstreamState(upstream, kind)]
      }),
  }
}
