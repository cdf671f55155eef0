import { ApiError } from '@svc/contract'
import { MutationCache, onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { connection, isUnreachable, untilReached, watchNetwork } from './connection.ts'
import { endedSession, signInReasonOf } from './ended-session.ts'

const STALE_MS = 15_000
const RETRIES_MAX = 1
/** How often a page waits for its turn where it has asked too often; each time as long as the server says. */
const TURNS_MAX = 4
const TURN_MS = 1_000

/** A failure that the gateway has decided is not asked for again, unless it says when to come back. */
function isWorthAnother(failures: number, error: Error): boolean {
  if (isUnreachable(error)) {
    // It rests until the gateway is there again.
    void untilReached()
    return true
  }
  if (error instanceof ApiError && error.status === 429) return failures < TURNS_MAX
  return failures < RETRIES_MAX && !(error instanceof ApiError && error.status < 500)
}

function waitFor(_failures: number, error: Error): number {
  return error instanceof ApiError ? (error.retryAfterMs ?? TURN_MS) : TURN_MS
}

function noteFailure(error: Error): void {
  if (isUnreachable(error)) void untilReached()
  const reason = signInReasonOf(error)
  if (reason !== null) endedSession.set(reason)
}

/** What the pages know of the gateway, shared by those that load and those that show. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noteFailure }),
  mutationCache: new MutationCache({ onError: noteFailure }),
  defaultOptions: {
    queries: { staleTime: STALE_MS, retry: isWorthAnother, retryDelay: waitFor },
    // What a person asks for fails before their eyes, and is not done later behind their back.
    mutations: { networkMode: 'always' },
  },
})

/**
 * Lets what the pages ask for rest while the gateway cannot be reached. What the browser says of its network only makes
 * them look: the gateway may be on the same machine.
 */
export function followConnection(): void {
  onlineManager.setEventListener((setOnline) => connection.subscribe(() => setOnline(!connection.isLost())))
  watchNetwork()
}
