/** The schema of the configured store, brought up to date by a command. Part of the composition. */
import type { OperatorConfig } from '../config/load-operator-config.ts'
import { storeAddress } from '../config/store-address.ts'
import type { Migrated } from '../operations/commands/admin-context.ts'
import type { PostgresPatience } from '../platform/db/await-postgres.ts'
import { migrateStore } from '../platform/db/migrate-store.ts'
import { describeWaiting } from './describe-start-failure.ts'

export interface MigrateOptions {
  readonly isDryRun: boolean
  /** Called with a sentence while the database is away. */
  readonly onWaiting: (text: string) => void
}

/** Migrates, or says what would be applied. @throws what `migrateStore` throws. */
export async function migrateConfigured(
  config: Pick<OperatorConfig, 'databaseUrl' | 'databaseWaitMs' | 'dataDir'>,
  { isDryRun, onWaiting }: MigrateOptions,
): Promise<Migrated> {
  const { databaseUrl: url, databaseWaitMs: waitMs, dataDir } = config
  const patience: PostgresPatience = {
    waitMs,
    onWaiting: (failure) => onWaiting(describeWaiting(failure, url ?? '', waitMs)),
  }
  return { store: storeAddress(config), migrations: await migrateStore({ url, dataDir, isDryRun, patience }) }
}
