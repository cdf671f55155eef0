import type { CompiledQuery } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

/**
 * The owner of holds that outlive processes, in place of a process. Such holds are never orphans: their owner ends
 * them. Source: decision 0024 (video jobs).
 */
export const JOBS_OWNER = 'video-jobs'

/**
 * The statement that takes an open hold from its process and gives it to a job. It belongs into one transaction with
 * whatever remembers the job; it changes no row when the hold has ended.
 */
export function handHoldToJobs({ read }: Pick<Database, 'read'>, holdId: string): CompiledQuery {
  return read
    .updateTable('hold')
    .set({ process_id: JOBS_OWNER })
    .where('hold_id', '=', holdId)
    .where('state', '=', 'held')
    .compile()
}
