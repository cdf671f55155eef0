import { ApiError } from '@svc/contract'
import { QueryClient } from '@tanstack/react-query'

const STALE_MS = 15_000
const RETRIES_MAX = 1

/** A failure that the gateway has decided is not asked for again. */
function isWorthAnother(failures: number, error: Error): boolean {
  return failures < RETRIES_MAX && !(error instanceof ApiError && error.status < 500)
}

/** What the pages know of the gateway, shared by those that load and those that show. */
export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: STALE_MS, retry: isWorthAnother } },
})
