import type { OpenHolds } from '../billing/open-hold.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Clock } from '../runtime/clock.ts'

export interface JournalDeps {
  readonly ledger: Pick<Ledger, 'submit'>
  readonly openHolds: OpenHolds
  readonly clock: Clock
  readonly processId: string
  readonly leaseMs: number
}

/**
 * Renews this process's lease and notes what its open holds would be charged, in one write; then writes settlements that could not
 * be written before. Source: decision 0009 (orphans).
 */
export async function journalHolds(deps: JournalDeps): Promise<void> {
  const now = deps.clock.now()
  await deps.ledger.submit({
    kind: 'journal',
    processId: deps.processId,
    leaseUntil: now + deps.leaseMs,
    entries: deps.openHolds.progress(),
    now,
  })
  await deps.openHolds.rewriteUnwritten()
}
