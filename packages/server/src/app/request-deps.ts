/** What a look at one request needs, for the pages and the commands. Part of the composition. */
import { createAttemptStore } from '../money/billing/attempt-store.ts'
import { findCharge } from '../money/billing/find-charge.ts'
import { createUsageStore } from '../money/billing/usage-store.ts'
import { makeReceipt, type ReceiptDeps } from '../money/ledger-log/make-receipt.ts'
import { findRequestRows } from '../money/ledger/request-rows.ts'
import type { FindRequestDeps } from '../operations/actions/find-request.ts'
import { refundTransferId } from '../operations/actions/refund-request.ts'

/** Puts it together. */
export function requestDeps(parts: ReceiptDeps): FindRequestDeps {
  const { database } = parts
  const usage = createUsageStore(database)
  return {
    findCharge: (requestId) => findCharge(usage, requestId),
    archivedHint: (requestId) => usage.archivedHint(requestId.toLowerCase()),
    findRows: (requestId) => findRequestRows(database, requestId, [refundTransferId(requestId)]),
    attempts: createAttemptStore(database),
    makeReceipt: (requestId) => makeReceipt(parts, 'any', requestId),
  }
}
