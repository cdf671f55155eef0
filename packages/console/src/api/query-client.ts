import { ApiError } from '@svc/contract'
import { QueryClient } from '@tanstack/react-query'

const STALE_MS = 15_000
const RETRIES_MAX = 1
/** How often a page waits for its turn where it has asked too often; each time as long as the server says. */
const TURNS_MAX = 4
const TURN_MS = 1_000

/** A failure that the gateway has decided is not asked for again, unless it says when to come back. */
function isWorthAnother(failures: number, error: Error): boolean {
  if (error instanceof ApiError && error.status === 429) return failures < TURNS_MAX
  return failures < RETRIES_MAX && !(error instanceof ApiError && error.status < 500)
}

function waitFor(_failures: number, error: Error): number {
  return error instanceof ApiError ? (error.retryAfterMs ?? TURN_MS) : TURN_MS
}

/** What the pages know of the gateway, shared by those that load and those that show. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: STALE_MS, retry: isWorthAnother, retryDelay: waitFor } },
})
