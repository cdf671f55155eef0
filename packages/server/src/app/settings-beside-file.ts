import { createOperatorStore, type StoredSetting } from '../access/operators/operator-store.ts'
import type { Database } from '../platform/db/database.ts'

/** The settings whose names begin with one of these, in the order of their names. */
export async function readSettingsBesideFile(
  database: Database,
  prefixes: readonly string[],
): Promise<ReadonlyMap<string, StoredSetting>> {
  const settings = [...(await createOperatorStore(database).readSettings())]
  const found = settings.filter(([name]) => prefixes.some((prefix) => name.startsWith(prefix)))
  return new Map(found.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
