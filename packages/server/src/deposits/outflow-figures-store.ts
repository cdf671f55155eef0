import type { Database } from '../platform/db/database.ts'
import type { Outflow } from './outflow.ts'

/** Movements of one coin of one chain that are in one state. */
export interface OutflowFigures {
  readonly chainId: number
  readonly asset: string
  readonly state: Outflow['state']
  readonly count: number
  /** When the oldest of them was planned, in milliseconds since the epoch. */
  readonly oldest: number
}

/** Counts what the sweeper has recorded. */
export function readOutflowFigures({ read }: Database): Promise<readonly OutflowFigures[]> {
  return read
    .selectFrom('outflow')
    .select(({ fn }) => [
      'chain_id as chainId',
      'asset',
      'state',
      fn.countAll<number>().as('count'),
      fn.min('created_at').as('oldest'),
    ])
    .groupBy(['chain_id', 'asset', 'state'])
    .execute()
}
