import { type JournalDeps, keepJournal, type Operator } from '../../access/operators/journal.ts'
import type { InvoiceForm } from '../../money/reconciliation/read-invoice.ts'
import { ReconciliationError } from '../../money/reconciliation/reconciliation-runs.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { SpooledFile } from '../../platform/spool/spooled-file.ts'

/** What a page asks for. */
export interface AskedReconciliation {
  readonly upstream: string
  /** UTC, such as `2026-03-31`. */
  readonly day: string
  /** Null asks the upstream. A run discards the file at its end; where none begins, the caller does. */
  readonly invoice: { readonly content: SpooledFile; readonly form: InvoiceForm } | null
}

/** Reconciliations beside a gateway that runs. */
export interface Reconciliations {
  /**
   * Begins one in the background. Returns the id of its run, null while another of the upstream runs.
   *
   * @throws {ReconciliationError} for what cannot be reconciled.
   */
  start(asked: AskedReconciliation, by: string): Promise<string | null>
  /** Ends those that this process has begun, and takes no more. */
  close(): Promise<void>
}

const PARAMS: Readonly<Record<string, string>> = { lines: 'file', archive: 'day' }

/**
 * Begins a reconciliation in the background, with an entry in the journal.
 *
 * @throws {ServiceError} `invalid_value` for what cannot be reconciled.
 */
export function startReconciliation(
  deps: JournalDeps & { readonly reconciler: Pick<Reconciliations, 'start'> },
  by: Operator,
  asked: AskedReconciliation,
): Promise<string | null> {
  const { upstream, day, invoice } = asked
  const details = { upstream, day, source: invoice === null ? 'activity' : 'file' }
  return keepJournal(
    deps,
    by,
    { action: 'reconciliation.run', details },
    {
      work: async () => {
        try {
          return await deps.reconciler.start(asked, by.name)
        } catch (error) {
          if (!(error instanceof ReconciliationError)) throw error
          const { part, message } = error
          throw new ServiceError('invalid_value', message, part === null ? {} : { param: PARAMS[part] ?? part })
        }
      },
      outcomeOf: (runId) => (runId === null ? 'unchanged' : 'done'),
    },
  )
}
