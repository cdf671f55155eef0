/** Passes what is done to keys, here or by other processes, to what knows keys in this one. Part of the composition. */
import type { OpenHolds } from '../money/billing/open-holds.ts'
import type { Database } from '../platform/db/database.ts'
import type { KeyAuthenticator } from '../access/keys/authenticate-key.ts'
import { createKeyChangeStore } from '../access/keys/key-change-store.ts'
import { createChangePoller, type ChangePoller } from '../access/keys/change-poller.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import { systemTimer } from '../platform/runtime/timer.ts'

export interface FollowKeysParts {
  readonly database: Database
  readonly clock: SystemClock
  readonly authenticator: KeyAuthenticator
  readonly openHolds: Pick<OpenHolds, 'revoke'>
  readonly onError: (error: unknown) => void
}

/** Makes what follows revocations, which end requests that run, and changes, which hold from the next request on. */
export function followKeys({ database, clock, authenticator, openHolds, onError }: FollowKeysParts): {
  readonly revocations: ChangePoller
  readonly keyChanges: ChangePoller
  /**
   * Asks for both now: what this process has done to keys holds in it before it says that it is done. Never rejects.
   */
  readonly catchUp: () => Promise<void>
} {
  const changes = createKeyChangeStore(database)
  const polling = { clock, timer: systemTimer, onError }
  const revocations = createChangePoller({
    ...polling,
    list: changes.listRevokedSince,
    onChange: (keyId) => {
      authenticator.forget(keyId)
      openHolds.revoke(keyId)
    },
  })
  const keyChanges = createChangePoller({
    ...polling,
    list: changes.listChangedSince,
    onChange: (id) => authenticator.forget(id),
  })
  return {
    revocations,
    keyChanges,
    catchUp: async () => void (await Promise.all([revocations.poll(), keyChanges.poll()])),
  }
}

/**
 * The same store, where a method is done once this process knows what it did to keys.
 *
 * @param methods those that end or change keys.
 */
export function knownHere<Store extends object>(
  store: Store,
  methods: readonly (keyof Store & string)[],
  catchUp: () => Promise<void>,
): Store {
  const known = methods.map((name) => {
    const method = store[name] as (...args: readonly unknown[]) => Promise<unknown>
    const call = async (...args: readonly unknown[]) => {
      const result = await method(...args)
      await catchUp()
      return result
    }
    return [name, call]
  })
  return { ...store, ...Object.fromEntries(known) }
}
