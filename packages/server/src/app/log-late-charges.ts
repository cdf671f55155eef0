import { formatCredits } from '@svc/contract'
import type { OnLate } from '../money/ledger/ledger.ts'
import type { Logger } from '../platform/runtime/log.ts'

/** Logs each settlement whose hold the database had lost. Part of the composition. */
export function logLateCharges(log: Logger): OnLate {
  return ({ holdId, charge, cost, placed }, result) => {
    const facts = { request_id: holdId, account_id: placed?.accountId, key_id: placed?.keyId }
    if (result.kind === 'unknown_caller') {
      const lost = { charge: formatCredits(charge), cost: formatCredits(cost) }
      log.error({ ...facts, ...lost }, 'the database lost a hold with its account or its key: its charge is lost')
      return
    }
    const amounts = { charge: formatCredits(result.charge), write_off: formatCredits(result.writeOff) }
    log.error({ ...facts, ...amounts }, 'the database had lost a hold, and its request was charged late')
  }
}
