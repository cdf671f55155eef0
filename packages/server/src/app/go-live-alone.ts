/** Going live as the only process on a store. Part of the composition. */
import { DEMO_EMAIL } from '@svc/contract'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pauseFor } from 'node:timers/promises'
import { createAccountStore } from '../access/accounts/account-store.ts'
import { DEMO_ACCOUNT_ID, DEMO_KEY_FILE } from '../access/accounts/seed-demo.ts'
import type { JournalDeps, Operator } from '../access/operators/journal.ts'
import { readStoreKind } from '../access/operators/store-kind.ts'
import { CHAINS_FOLDER } from '../config/data-folder.ts'
import type { OperatorConfig } from '../config/load-operator-config.ts'
import { hasLiving } from '../money/ledger/has-living.ts'
import { listLeases } from '../money/ledger/orphan-store.ts'
import { goLive, type GoLiveResult } from '../operations/actions/go-live.ts'
import { createGoLiveStore } from '../operations/actions/go-live-store.ts'
import type { OperationsDeps } from '../operations/actions/operations-deps.ts'
import { DataFolderInUseError, lockDataFolder } from '../platform/db/data-folder-lock.ts'
import type { Database } from '../platform/db/database.ts'
import { systemClock } from '../platform/runtime/clock.ts'

type GoLiveConfig = Pick<OperatorConfig, 'databaseUrl' | 'dataDir' | 'limits'>

/**
 * Ends the test credits of a store, unless a gateway serves it. With embedded storage no other process may have the
 * folder meanwhile: a gateway that just starts has no lease yet. Source: decision 0105 (test and live money).
 *
 * @returns `is_served` where a gateway has the folder or renews its lease.
 */
export async function goLiveAlone(
  config: GoLiveConfig,
  database: Database,
  services: JournalDeps & Pick<OperationsDeps, 'ledger'>,
  by: Operator,
): Promise<GoLiveResult> {
  const unlock = config.databaseUrl === null ? lockOrNull(config.dataDir) : (): void => undefined
  if (unlock === null) return { kind: 'is_served' }
  try {
    const result = await goLive(
      {
        ...services,
        accounts: createAccountStore(database),
        store: createGoLiveStore(database),
        isServed: () => isServed(config, database),
        readKind: () => readStoreKind(database),
        demo: { accountId: DEMO_ACCOUNT_ID, email: DEMO_EMAIL },
      },
      by,
    )
    if (result.kind === 'live') removeSandboxFiles(config.dataDir)
    return result
  } finally {
    unlock()
  }
}

/** Who has the folder of embedded storage is alone on it. */
function isServed({ databaseUrl, limits: { leaseMs } }: GoLiveConfig, database: Database): Promise<boolean> {
  if (databaseUrl === null) return Promise.resolve(false)
  return hasLiving({ listLeases: () => listLeases(database, ''), clock: systemClock, leaseMs, pause: pauseFor })
}

/** @returns null where a gateway has the folder. */
function lockOrNull(dataDir: string): (() => void) | null {
  try {
    return lockDataFolder(dataDir)
  } catch (error) {
    if (error instanceof DataFolderInUseError) return null
    throw error
  }
}

/** The demo key and the local chains, which nothing refers to any more. */
function removeSandboxFiles(dataDir: string): void {
  for (const name of [DEMO_KEY_FILE, CHAINS_FOLDER]) rmSync(join(dataDir, name), { recursive: true, force: true })
}
