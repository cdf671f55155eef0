import { Counter, Gauge, type Registry } from 'prom-client'

/** What became of the request of a line: `repeated` is made again, `unmade` was not made at all. */
export type LineOutcome = 'completed' | 'failed' | 'unmade' | 'repeated'

/** Files of one purpose that are kept, over all processes on the database. */
export interface FileFigure {
  readonly purpose: string
  readonly files: number
  readonly bytes: number
}

/** Takes down what becomes of batches, and of the files that they read and write. */
export interface BatchMetrics {
  lineEnded(outcome: LineOutcome): void
  ended(state: string): void
  /** What is kept now; null when the database did not answer in time. */
  setFiles(figures: readonly FileFigure[] | null): void
}

/** Registers the metrics of batches and of files. */
export function createBatchMetrics(registry: Registry): BatchMetrics {
  const counter = (name: string, help: string, label: string): Counter =>
    new Counter({ name, help, labelNames: [label], registers: [registry] })
  const gauge = (name: string, help: string): Gauge =>
    new Gauge({ name, help, labelNames: ['purpose'], registers: [registry] })
  const lines = counter(
    'svc_batch_lines_total',
    'Lines of batches that this process worked on: completed, failed, unmade, or repeated (made again).',
    'outcome',
  )
  const ended = counter('svc_batches_ended_total', 'Batches whose end this process has written, by state.', 'state')
  const files = gauge('svc_database_files', 'Files that are kept for teams, by purpose.')
  const bytes = gauge('svc_database_file_bytes', 'Bytes of these files, by purpose.')
  return {
    lineEnded: (outcome) => lines.inc({ outcome }),
    ended: (state) => ended.inc({ state }),
    setFiles: (figures) => {
      // A value that is not known must not be reported as the one before.
      for (const each of [files, bytes]) each.reset()
      for (const kept of figures ?? []) {
        files.set({ purpose: kept.purpose }, kept.files)
        bytes.set({ purpose: kept.purpose }, kept.bytes)
      }
    },
  }
}
