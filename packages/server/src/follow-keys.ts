/** What other processes do to keys, told to what knows keys in this one. Part of the composition. */
import type { OpenHolds } from './billing/open-hold.ts'
import type { Database } from './db/database.ts'
import type { KeyAuthenticator } from './keys/authenticate-key.ts'
import { createKeyNewsStore } from './keys/key-news-store.ts'
import { createNewsPoll, type NewsPoll } from './keys/news-poll.ts'
import type { SystemClock } from './runtime/clock.ts'
import { systemTimer } from './runtime/timer.ts'

export interface FollowKeysParts {
  readonly database: Database
  readonly clock: SystemClock
  readonly authenticator: KeyAuthenticator
  readonly openHolds: Pick<OpenHolds, 'revoke'>
  readonly onError: (error: unknown) => void
}

/** Makes what follows revocations, which end requests that run, and changes, which hold from the next request on. */
export function followKeys({ database, clock, authenticator, openHolds, onError }: FollowKeysParts): {
  readonly revocations: NewsPoll
  readonly keyChanges: NewsPoll
} {
  const news = createKeyNewsStore(database)
  const polling = { clock, timer: systemTimer, onError }
  return {
    revocations: createNewsPoll({
      ...polling,
      list: news.listRevokedSince,
      onNews: (keyId) => {
        authenticator.forget(keyId)
        openHolds.revoke(keyId)
      },
    }),
    keyChanges: createNewsPoll({
      ...polling,
      list: news.listChangedSince,
      onNews: (id) => authenticator.forget(id),
    }),
  }
}
