import { ServiceError } from '../../platform/errors/service-error.ts'
import type { UpstreamMetrics } from '../../telemetry/metrics/upstream-metrics.ts'
import type { UpstreamObserver } from '../../upstreams/call-observer.ts'

/** The kind of an upstream's failure, in the words of the table of failures. */
function failureKind(error: unknown): string {
  const kind = error instanceof ServiceError ? error.internal['failure'] : null
  return typeof kind === 'string' ? kind : 'broken'
}

/** Counts every call to an upstream until its end. One that we ended ourselves has not failed. */
export function measureCalls(metrics: UpstreamMetrics): UpstreamObserver {
  return ({ operation, key }) => {
    const call = metrics.begin(operation, key ?? null)
    return {
      ended: ({ error, isStopped }) => {
        if (isStopped) call.end('stopped', null)
        else if (error === null) call.end('ok', null)
        else call.end('failed', failureKind(error))
      },
    }
  }
}
