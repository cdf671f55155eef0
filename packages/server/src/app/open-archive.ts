/** The archive of a gateway that moves old records by itself. Part of the composition. */
import { resolve } from 'node:path'
import { setTimeout as pauseFor } from 'node:timers/promises'
import { ArchiveRuns } from '../money/archive/archive-runs.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'
import type { ArchiveMetrics } from '../telemetry/metrics/archive-metrics.ts'
import { archiveDeps } from './archive-actions.ts'

interface ArchiveParts {
  readonly config: Pick<Config, 'archive'>
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly processId: string
  readonly metrics: ArchiveMetrics | null
}

/** Between two portions, in milliseconds: a portion takes a fifth of a second of this process. Source: own choice. */
const PAUSE_MS = 1_000

/** Opens it. @returns null where nothing is archived by itself. */
export function openArchive({ config, database, clock, log, processId, metrics }: ArchiveParts): ArchiveRuns | null {
  if (config.archive === null) return null
  const { folder, months } = config.archive
  return new ArchiveRuns({
    ...archiveDeps(database, { clock, holder: processId }),
    ...{ folder: resolve(folder), months },
    pause: () => pauseFor(PAUSE_MS, undefined, { ref: false }),
    onArchived: ({ files, requests, bytes }) => {
      metrics?.archived(requests)
      log.info({ files, requests, bytes }, 'records of old requests are archived')
    },
    onFailed: (error) => {
      metrics?.failed()
      log.error({ err: error }, 'records of old requests could not be archived')
    },
  })
}
