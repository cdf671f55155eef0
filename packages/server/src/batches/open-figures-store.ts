import type { BatchState } from '@svc/contract'
import type { Database } from '../platform/db/database.ts'

/** Batches of all processes that have not ended and are in one state. */
export interface OpenBatches {
  readonly state: BatchState
  readonly count: number
  /** When a process should have taken the first of them, or must by, in milliseconds since the epoch. */
  readonly nextStepAt: number
}

/** Counts the batches that have not ended. */
export async function readOpenBatches({ read }: Database): Promise<readonly OpenBatches[]> {
  const found = await read
    .selectFrom('batch')
    .select(({ fn }) => ['state', fn.countAll<number>().as('count'), fn.min('next_step_at').as('nextStepAt')])
    .where('next_step_at', 'is not', null)
    .groupBy('state')
    .execute()
  return found.map(({ nextStepAt, ...rest }) => ({ ...rest, nextStepAt: Number(nextStepAt) }))
}
