import type { AuditRuns } from '../../money/ledger/audit-runs.ts'
import { type JournalDeps, keepJournal, type Operator } from '../../access/operators/journal.ts'

/** Begins an audit in the background, with an entry in the journal. Returns false when one runs already. */
export function startAudit(
  deps: JournalDeps & { readonly audits: Pick<AuditRuns, 'start'> },
  by: Operator,
): Promise<boolean> {
  return keepJournal(
    deps,
    by,
    { action: 'audit.run' },
    {
      work: () => deps.audits.start(by.name),
      outcomeOf: (isStarted) => (isStarted ? 'done' : 'unchanged'),
    },
  )
}

export type { AuditState } from '../../money/ledger/audit-runs.ts'
