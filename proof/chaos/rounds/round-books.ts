/** The rows of the ledger that a round is compared with: those of its own accounts alone. */
import type { Database } from '../../../packages/server/src/platform/db/database.ts'

export interface RoundUsage {
  readonly usage_id: string
  readonly account_id: string
  readonly type: string
  readonly status: string
  readonly error_code: string | null
  readonly charge: bigint
  readonly write_off: bigint
  readonly generation_id: string | null
}

export interface RoundBooks {
  readonly usage: readonly RoundUsage[]
  readonly transfers: readonly { readonly hold_id: string | null; readonly charge: bigint }[]
  readonly holds: readonly {
    readonly hold_id: string
    readonly account_id: string
    readonly state: string
    readonly amount: bigint
    readonly process_id: string
  }[]
  readonly balances: readonly { readonly account_id: string; readonly posted: bigint; readonly held: bigint }[]
  readonly jobs: readonly {
    readonly job_id: string
    readonly hold_id: string
    readonly key_id: string
    readonly state: string
    readonly settled_at: number | null
  }[]
  /** Which request an Idempotency-Key means. */
  readonly names: readonly { readonly caller_id: string; readonly name_hash: string; readonly request_id: string }[]
}

/** Reads them all. */
export async function readRoundBooks(
  { read }: Database,
  accountIds: readonly string[],
  keyIds: readonly string[],
): Promise<RoundBooks> {
  const usage = await read
    .selectFrom('usage_record')
    .select(['usage_id', 'account_id', 'type', 'status', 'error_code', 'charge', 'write_off', 'generation_id'])
    .where('account_id', 'in', accountIds)
    .execute()
  const transfers = await read
    .selectFrom('transfer')
    .select(['hold_id', 'charge'])
    .where('account_id', 'in', accountIds)
    .execute()
  const holds = await read
    .selectFrom('hold')
    .select(['hold_id', 'account_id', 'state', 'amount', 'process_id'])
    .where('account_id', 'in', accountIds)
    .execute()
  const balances = await read
    .selectFrom('balance')
    .select(['account_id', 'posted', 'held'])
    .where('account_id', 'in', accountIds)
    .execute()
  const jobs = await read
    .selectFrom('video_job')
    .select(['job_id', 'hold_id', 'key_id', 'state', 'settled_at'])
    .where('account_id', 'in', accountIds)
    .execute()
  const names = await read
    .selectFrom('idempotent_request')
    .select(['caller_id', 'name_hash', 'request_id'])
    .where('caller_id', 'in', keyIds)
    .execute()
  return { usage, transfers, holds, balances, jobs, names }
}
