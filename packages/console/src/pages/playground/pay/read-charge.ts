/** What a request came to, where its answer did not say: after a stop, a failure, or a connection that broke. */
import { ApiError, consoleEndpoints, type Exact, type TeamUsageRecord } from '@svc/contract'
import { consoleApi } from '../../../api/client.ts'

const FIRST_WAIT_MS = 250
const WAIT_MAX_MS = 4_000
const ATTEMPTS_MAX = 40
/** A request that was refused before it cost anything leaves no record: so many answers that there is none say so. */
const ABSENT_MAX = 4

function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

async function readRecord(teamId: string, requestId: string): Promise<Exact<TeamUsageRecord> | 'pending' | null> {
  try {
    const path = { team_id: teamId, request_id: requestId }
    const record = await consoleApi.call(consoleEndpoints.getTeamUsage, { path })
    return record.state === 'final' ? record : 'pending'
  } catch (error) {
    if (error instanceof ApiError && error.is('usage_not_found')) return null
    throw error
  }
}

/**
 * Asks until the request's record is final. Uses the session and not the page's key, which may be gone.
 *
 * @returns null where there is no record: nothing was charged. Undefined until it is known.
 */
export async function readCharge(
  teamId: string,
  requestId: string,
  signal?: AbortSignal,
): Promise<Exact<TeamUsageRecord> | null | undefined> {
  let absent = 0
  for (let attempt = 0; attempt < ATTEMPTS_MAX && signal?.aborted !== true; attempt += 1) {
    const record = await readRecord(teamId, requestId).catch(() => 'pending' as const)
    if (record === null && ++absent >= ABSENT_MAX) return null
    if (record !== null && record !== 'pending') return record
    await wait(Math.min(FIRST_WAIT_MS * 1.5 ** attempt, WAIT_MAX_MS), signal)
  }
  return undefined
}

/** A request whose answer's head has not come, so that its id is unknown. */
export interface LostRequest {
  /** The key that has sent it. */
  readonly keyId: string
  readonly model: string
  /** Milliseconds since the epoch. */
  readonly sentAt: number
  /** Whether a record belongs to another request of the page. */
  readonly isTaken: (requestId: string) => boolean
}

/** Clocks of browser and gateway may differ by this much. */
const DRIFT_SECONDS = 300
const LOST_ATTEMPTS_MAX = 12

/** Finds the record of a request that was stopped before its answer began. Undefined where none appears. */
export async function findLost(teamId: string, lost: LostRequest): Promise<Exact<TeamUsageRecord> | undefined> {
  const from = String(Math.floor(lost.sentAt / 1_000) - DRIFT_SECONDS)
  const query = { key: lost.keyId, model: lost.model, from, limit: 20 }
  for (let attempt = 0; attempt < LOST_ATTEMPTS_MAX; attempt += 1) {
    const list = await consoleApi
      .call(consoleEndpoints.listTeamUsage, { path: { team_id: teamId }, query })
      .catch(() => null)
    const found = list?.data.find(({ request_id: id }) => !lost.isTaken(id))
    if (found !== undefined) return found
    await wait(Math.min(FIRST_WAIT_MS * 1.5 ** attempt, WAIT_MAX_MS))
  }
  return undefined
}
