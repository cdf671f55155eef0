/** Writes down attempts that failed, beside the requests: most requests have one attempt, and no row here. */

/** An attempt or a generation of a request, as its usage record does not say it. */
export interface RequestAttempt {
  readonly upstream: string
  /** As the upstream calls the model. */
  readonly upstreamModel: string
  /** The kind of the failure; null where it went well. */
  readonly failure: string | null
  readonly generationId: string | null
  /** Nanocredits at par, as far as it was known then; null where it was not. */
  readonly cost: bigint | null
}

export interface NotedAttempt extends RequestAttempt {
  readonly endedAt: number
}

/** All attempts of one request. */
export interface AttemptsOfRequest {
  readonly requestId: string
  readonly endedAt: number
  readonly attempts: readonly RequestAttempt[]
}

export interface AttemptStore {
  /** Writes those of several requests; those that are known already stay as they are. */
  write(requests: readonly AttemptsOfRequest[]): Promise<void>
  /** In the order in which they were made; empty where all there was is in the usage record. */
  list(requestId: string): Promise<readonly NotedAttempt[]>
}

export interface AttemptLogDeps {
  readonly store: Pick<AttemptStore, 'write'>
  /** Called when a write failed: what it was about is tried again with the next. */
  readonly onError: (error: unknown) => void
}

export interface AttemptLog {
  /** Costs no input or output. What a crash takes from it is named by the next reconciliation with the upstream. */
  note(requestId: string, attempts: readonly RequestAttempt[], now: number): void
  /** Writes what was noted. Never rejects. */
  flush(): Promise<void>
}

/** Requests in one write, and in memory, at most: beyond it the oldest are left out. Source: own choice. */
const BATCH_MAX = 200
const WAITING_MAX = 20_000

/** Makes it. */
export function createAttemptLog({ store, onError }: AttemptLogDeps): AttemptLog {
  let waiting: AttemptsOfRequest[] = []
  return {
    note(requestId, attempts, endedAt) {
      if (waiting.length >= WAITING_MAX) waiting.shift()
      waiting.push({ requestId, endedAt, attempts })
    },
    async flush() {
      const requests = waiting
      waiting = []
      for (let start = 0; start < requests.length; start += BATCH_MAX) {
        try {
          await store.write(requests.slice(start, start + BATCH_MAX))
        } catch (error) {
          waiting = [...requests.slice(start), ...waiting].slice(-WAITING_MAX)
          return onError(error)
        }
      }
    },
  }
}
