import { Gauge, type Registry } from 'prom-client'

/** How the audits of the books fared, over all processes on the database. */
export interface AuditFigures {
  /** The last that came to its end; null where none is kept. */
  readonly last: { readonly ageSeconds: number; readonly breaches: number } | null
  /** Whether the newest that has ended came to no verdict. */
  readonly isUnfinished: boolean
}

/** @returns what takes down the audits; null when the database did not answer in time. */
export function createAuditMetrics(registry: Registry): (figures: AuditFigures | null) => void {
  const make = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] })
  const age = make(
    'svc_database_audit_age_seconds',
    'Time since the last audit of the books came to its end; absent where none is kept.',
  )
  const breaches = make(
    'svc_database_audit_breaches',
    'Breaches that the last audit found; 0 when every promise is kept.',
  )
  const unfinished = make('svc_database_audit_unfinished', '1 when the newest audit came to no verdict.')
  return (figures) => {
    const last = figures?.last ?? null
    // A value that is not known must not be reported as the one before.
    if (last === null) [age, breaches].forEach((gauge) => gauge.remove())
    else {
      age.set(last.ageSeconds)
      breaches.set(last.breaches)
    }
    if (figures === null) unfinished.remove()
    else unfinished.set(figures.isUnfinished ? 1 : 0)
  }
}
