import { Gauge, type Registry } from 'prom-client'

/** How the reconciliations with what one upstream has billed fared, over all processes on the database. */
export interface ReconciliationFigures {
  readonly upstream: string
  /** The last that came to its end; null where none is kept. */
  readonly last: { readonly ageSeconds: number; readonly differences: number } | null
  /** Whether the newest that has ended came to no verdict. */
  readonly isUnfinished: boolean
}

/** @returns what takes down the reconciliations; null when the database did not answer in time. */
export function createReconciliationMetrics(
  registry: Registry,
): (figures: readonly ReconciliationFigures[] | null) => void {
  const make = (name: string, help: string): Gauge<'upstream'> =>
    new Gauge({ name, help, labelNames: ['upstream'], registers: [registry] })
  const age = make(
    'svc_database_reconciliation_age_seconds',
    'Time since a day was last reconciled with what the upstream has billed; absent where none is kept.',
  )
  const differences = make(
    'svc_database_reconciliation_differences',
    'What the last reconciliation with the upstream found; 0 when books and invoice agree.',
  )
  const unfinished = make(
    'svc_database_reconciliation_unfinished',
    '1 when the newest reconciliation with the upstream came to no verdict.',
  )
  return (figures) => {
    // A value that is not known must not be reported as the one before.
    for (const gauge of [age, differences, unfinished]) gauge.reset()
    for (const { upstream, last, isUnfinished } of figures ?? []) {
      unfinished.set({ upstream }, isUnfinished ? 1 : 0)
      if (last === null) continue
      age.set({ upstream }, last.ageSeconds)
      differences.set({ upstream }, last.differences)
    }
  }
}
