import type { Database } from '../platform/db/database.ts'
import type { DepositState } from './deposit.ts'

/** Deposits of one chain that are in one state and are neither credited nor decided against. */
export interface WaitingDeposits {
  readonly chainId: number
  readonly state: DepositState
  readonly count: number
  /** When the oldest of them was seen, in milliseconds since the epoch. */
  readonly oldest: number
}

const WAITING = ['seen', 'confirming', 'under_review'] as const satisfies readonly DepositState[]

/** Counts the deposits that wait for a final block, for a price, or for an operator. */
export function readWaitingDeposits({ read }: Database): Promise<readonly WaitingDeposits[]> {
  return read
    .selectFrom('deposit')
    .select(({ fn }) => ['chain_id as chainId', 'state', fn.countAll<number>().as('count')])
    .select(({ fn }) => [fn.min('seen_at').as('oldest')])
    .where('credited_at', 'is', null)
    .where('state', 'in', WAITING)
    .groupBy(['chain_id', 'state'])
    .execute()
}
