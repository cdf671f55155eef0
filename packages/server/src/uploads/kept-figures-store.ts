import type { FilePurpose } from '@svc/contract'
import { sql } from 'kysely'
import type { Database } from '../platform/db/database.ts'

/** Files of all teams that have one purpose. */
export interface KeptFiles {
  readonly purpose: FilePurpose
  readonly files: number
  readonly bytes: number
}

/** Counts the files that are kept. */
export function readKeptFiles({ read }: Pick<Database, 'read'>): Promise<readonly KeptFiles[]> {
  return read
    .selectFrom('stored_file')
    .select(({ fn }) => ['purpose', fn.countAll<number>().as('files')])
    .select(sql<number>`cast(sum(bytes) as bigint)`.as('bytes'))
    .groupBy('purpose')
    .execute()
}
