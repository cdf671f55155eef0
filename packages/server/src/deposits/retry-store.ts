import type { ChainId, Hex } from '../chain/assets.ts'
import type { Database } from '../platform/db/database.ts'
import { type DueTimes, isDue } from '../platform/db/due.ts'

/** Something of a chain that could not be read: a transaction, or a whole block. */
export type RetrySubject =
  | { readonly kind: 'transaction'; readonly txHash: Hex; readonly blockNumber: number }
  | { readonly kind: 'block'; readonly blockNumber: number }

export interface Retry {
  readonly subject: RetrySubject
  readonly failures: number
  /** When it could not be read for the first time. */
  readonly firstAt: number
}

export interface RetryStore {
  /** Puts something aside, or notes that it could not be read once more. */
  note(chainId: ChainId, subject: RetrySubject, problem: string, times: { now: number; nextAt: number }): Promise<void>
  /** What is to be looked at again now, the longest overdue first. */
  listDue(chainId: ChainId, times: DueTimes, limit: number): Promise<readonly Retry[]>
  /** It was read. */
  remove(chainId: ChainId, subject: RetrySubject): Promise<void>
  count(chainId: ChainId): Promise<number>
}

/** Makes the store of what is looked at again. */
export function createRetryStore(database: Database): RetryStore {
  const { read } = database
  return {
    async note(chainId, subject, problem, { now, nextAt }) {
      const name = nameOf(subject)
      const statement = read
        .insertInto('chain_retry')
        .values({
          ...{ chain_id: chainId, subject: name, block_number: subject.blockNumber, failures: 1, problem },
          ...{ first_at: now, next_at: nextAt },
        })
        .onConflict((conflict) =>
          conflict.columns(['chain_id', 'subject']).doUpdateSet((update) => ({
            failures: update(update.ref('chain_retry.failures'), '+', 1),
            problem,
            next_at: nextAt,
          })),
        )
      await database.write([statement.compile()])
    },
    async listDue(chainId, times, limit) {
      const rows = await read
        .selectFrom('chain_retry')
        .select(['subject', 'block_number', 'failures', 'first_at'])
        .where('chain_id', '=', chainId)
        .where(isDue('next_at', times))
        .orderBy('next_at')
        .limit(limit)
        .execute()
      return rows.map(({ subject, block_number, failures, first_at }) => ({
        subject: subjectFrom(subject, block_number),
        failures,
        firstAt: first_at,
      }))
    },
    async remove(chainId, subject) {
      const statement = read
        .deleteFrom('chain_retry')
        .where('chain_id', '=', chainId)
        .where('subject', '=', nameOf(subject))
      await database.write([statement.compile()])
    },
    async count(chainId) {
      const { rows } = await read
        .selectFrom('chain_retry')
        .select(({ fn }) => fn.countAll<number>().as('rows'))
        .where('chain_id', '=', chainId)
        .executeTakeFirstOrThrow()
      return rows
    },
  }
}

function nameOf(subject: RetrySubject): string {
  return subject.kind === 'transaction' ? subject.txHash : `block ${subject.blockNumber}`
}

function subjectFrom(name: string, blockNumber: number): RetrySubject {
  return name.startsWith('0x')
    ? { kind: 'transaction', txHash: name as Hex, blockNumber }
    : { kind: 'block', blockNumber }
}
