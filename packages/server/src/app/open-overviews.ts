/** The operator's overview for the pages: apart from the requests. Part of the composition. */
import type { Config } from '../config/config.ts'
import { type Overview, readOverview } from '../money/billing/read-overview.ts'
import type { Database } from '../platform/db/database.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import { runInThread } from './run-in-thread.ts'

const OVERVIEW_WORKER = new URL('overview.worker.ts', import.meta.url)

/** One takes so long at most, in milliseconds. Source: own choice. */
const OVERVIEW_MS = 60_000

/** Milliseconds since the epoch. */
export interface OverviewSpan {
  readonly from: number
  readonly to: number
}

/** What the thread is told. */
export interface OverviewWork {
  readonly dataDir: string
  readonly span: OverviewSpan
}

/**
 * Makes what reads overviews, one at a time. Embedded storage is read by a thread of its own, since it would be read in
 * that of the requests; PostgreSQL reads elsewhere.
 */
export function openOverviews(
  { dataDir }: Pick<Config, 'dataDir'>,
  database: Pick<Database, 'read' | 'engine'>,
): (span: OverviewSpan) => Promise<Overview> {
  let isReading = false
  return async (span) => {
    if (isReading) throw busy('Another overview is being made. Try again in a moment.')
    isReading = true
    try {
      const signal = AbortSignal.timeout(OVERVIEW_MS)
      if (database.engine === 'postgres') return await readOverview(database, span, signal)
      return await runInThread<Overview>(OVERVIEW_WORKER, { dataDir, span }, signal)
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error
      throw busy('The overview takes too long. Ask for a shorter span, or use the command.')
    } finally {
      isReading = false
    }
  }
}

function busy(message: string): ServiceError {
  return new ServiceError('server_is_overloaded', message, { retryAfterSeconds: 1 })
}
