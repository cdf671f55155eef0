import { ServiceError } from '../errors/service-error.ts'
import type { UpstreamMetrics, UpstreamOperation } from '../metrics/upstream-metrics.ts'

/** The kind of an upstream's failure, in the words of the table of failures. */
export function failureKind(error: unknown): string {
  const kind = error instanceof ServiceError ? error.internal['failure'] : null
  return typeof kind === 'string' ? kind : 'broken'
}

/** Counts a call until its promise is settled. @param isStopped whether we have ended it ourselves. */
export async function measured<Result>(
  metrics: UpstreamMetrics,
  operation: UpstreamOperation,
  work: () => Promise<Result>,
  isStopped: () => boolean,
): Promise<Result> {
  const call = metrics.begin(operation)
  try {
    const result = await work()
    call.end('ok', null)
    return result
  } catch (error) {
    if (isStopped()) call.end('stopped', null)
    else call.end('failed', failureKind(error))
    throw error
  }
}
