/** What the books have of one request, beside its usage record: for an operator who looks at it. */
import type { Database } from '../../platform/db/database.ts'

/** A hold, with each step by which it grew. Amounts are nanocredits, times milliseconds since the epoch. */
export interface BookedHold {
  readonly amount: bigint
  /** What was held at first; the same where it never grew. */
  readonly firstAmount: bigint
  readonly extensions: readonly { readonly added: bigint; readonly at: number }[]
  readonly state: string
  readonly placedAt: number
  /** Null while it is open. */
  readonly endedAt: number | null
  /** Who answered for it; holds of jobs belong to no process. */
  readonly processId: string
}

/** A transfer of the request: its settlement, or a refund. */
export interface BookedTransfer {
  readonly id: string
  readonly kind: string
  readonly charge: bigint
  readonly writeOff: bigint
  readonly cost: bigint
  readonly margin: bigint
  /** What came to the account; 0 for a settlement. */
  readonly funding: bigint
  readonly reason: string | null
  readonly createdAt: number
}

export interface RequestRows {
  /** Null where retention has removed it. */
  readonly hold: BookedHold | null
  readonly transfers: readonly BookedTransfer[]
}

/** Finds them. @param others ids of further transfers that belong to it. */
export async function findRequestRows(
  { read }: Pick<Database, 'read'>,
  holdId: string,
  others: readonly string[],
): Promise<RequestRows> {
  const [hold, extensions, transfers] = await Promise.all([
    read.selectFrom('hold').selectAll().where('hold_id', '=', holdId).executeTakeFirst(),
    read.selectFrom('hold_extension').selectAll().where('hold_id', '=', holdId).orderBy('amount').execute(),
    read
      .selectFrom('transfer')
      .selectAll()
      .where('transfer_id', 'in', [holdId, ...others])
      .orderBy('created_at')
      .execute(),
  ])
  return {
    hold:
      hold === undefined
        ? null
        : {
            ...{ amount: hold.amount, firstAmount: hold.first_amount ?? hold.amount, state: hold.state },
            ...{ placedAt: hold.placed_at, endedAt: hold.ended_at, processId: hold.process_id },
            extensions: extensions.map((row) => ({ added: row.added_amount, at: row.extended_at })),
          },
    transfers: transfers.map((row) => ({
      ...{ id: row.transfer_id, kind: row.kind, charge: row.charge, writeOff: row.write_off, cost: row.cost },
      ...{ margin: row.margin, funding: row.funding, reason: row.reason, createdAt: row.created_at },
    })),
  }
}
