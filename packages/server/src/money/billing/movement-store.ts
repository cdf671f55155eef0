/** How the money of one request moved: its hold, what it grew by, its transfer. */
import type { Database } from '../../platform/db/database.ts'
import type { HoldExtensionTable, HoldTable } from '../../platform/db/hold-schema.ts'
import type { LedgerEntryView, TransferTable } from '../../platform/db/schema.ts'
import { inScope, type UsageScope } from './usage-scope.ts'

/** How the money of one request moved. */
export interface Movement {
  readonly hold: Pick<HoldTable, 'state' | 'placed_at' | 'ended_at' | 'amount' | 'limit_units'>
  /** Each extension of the hold, in the order in which they came. */
  readonly extensions: readonly Omit<HoldExtensionTable, 'hold_id'>[]
  readonly transfer: Pick<TransferTable, 'transfer_id' | 'kind' | 'created_at'> | null
  readonly entries: readonly Pick<LedgerEntryView, 'account' | 'amount'>[]
}

/** Extensions of one hold that are shown at most. Source: own choice. */
const EXTENSIONS_MAX = 200

/** The hold of a request, open or ended, and its transfer where it has one; null for a request of another scope. */
export async function findMovement(
  read: Database['read'],
  scope: UsageScope,
  holdId: string,
): Promise<Movement | null> {
  const hold = await read
    .selectFrom('hold')
    .select(['state', 'placed_at', 'ended_at', 'amount', 'limit_units'])
    .where('hold_id', '=', holdId)
    .where(inScope('hold', scope))
    .executeTakeFirst()
  if (hold === undefined) return null
  // A hold doubles, so there are few.
  const extensions = await read
    .selectFrom('hold_extension')
    .select(['amount', 'added_amount', 'extended_at'])
    .where('hold_id', '=', holdId)
    .orderBy('amount')
    .limit(EXTENSIONS_MAX)
    .execute()
  const transfer = await read
    .selectFrom('transfer')
    .select(['transfer_id', 'kind', 'created_at'])
    .where('hold_id', '=', holdId)
    .executeTakeFirst()
  if (transfer === undefined) return { hold, extensions, transfer: null, entries: [] }
  const entries = await read
    .selectFrom('ledger_entry')
    .select(['account', 'amount'])
    .where('transfer_id', '=', transfer.transfer_id)
    .execute()
  return { hold, extensions, transfer, entries }
}
