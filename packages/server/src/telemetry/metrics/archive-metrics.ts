import { Counter, Gauge, type Registry } from 'prom-client'

export interface ArchiveMetrics {
  /** So many requests have left the database for files. */
  readonly archived: (requests: number) => void
  /** A run came to no end. */
  readonly failed: () => void
  /** For how long requests that should have left are overdue; null where none is archived by itself, or is not known. */
  setOverdue(seconds: number | null): void
}

/** Registers the metrics of the archive. */
export function createArchiveMetrics(registry: Registry): ArchiveMetrics {
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers: [registry] })
  const archived = counter('svc_archived_requests_total', 'Records of requests that this process has moved to files.')
  const failures = counter('svc_archive_failures_total', 'Runs of the archive in this process that came to no end.')
  const overdue = new Gauge({
    name: 'svc_database_archive_overdue_seconds',
    help: 'Since when records are to be archived that are still in the database; absent where none is by itself.',
    registers: [registry],
  })
  // There once it is known: a gateway without an archive has none.
  overdue.remove()
  return {
    archived: (requests) => archived.inc(requests),
    failed: () => failures.inc(),
    setOverdue: (seconds) => (seconds === null ? overdue.remove() : overdue.set(seconds)),
  }
}
