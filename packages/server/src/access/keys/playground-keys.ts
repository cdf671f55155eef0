/** Keys that the console makes for its playground. Source: decision 0045 (the playground). */
import { type CreatedKey, createKey, type CreateKeyDeps } from './create-key.ts'
import type { PlaygroundKeyStore } from './playground-key-store.ts'
import { deriveRawKey, displayOfKey, hashKey } from './raw-key.ts'

/** What people see as the name of such a key, in lists and beside what it spent. */
export const PLAYGROUND_KEY_NAME = 'Playground'

/** How long such a key lives at most, in milliseconds. A page asks for the next one before. */
export const PLAYGROUND_KEY_MS = 30 * 60_000

/** All pages of a session that ask within one such time get the same key, which lives to the end of the next. */
const SHARED_MS = PLAYGROUND_KEY_MS / 2

export interface PlaygroundKeysDeps extends CreateKeyDeps {
  readonly playStore: PlaygroundKeyStore
}

/** A person who plays with a team's credits. */
export interface Player {
  readonly accountId: string
  readonly teamId: string
  readonly userId: string
  readonly sessionId: string
  /** When the session ends at the latest, in milliseconds since the epoch. */
  readonly sessionExpiresAt: number
}

export interface PlaygroundKeys {
  /**
   * The key of the session that can ask models and nothing else: the one that its other pages have, or the next. It
   * ends with the session, and soon by itself.
   */
  create(player: Player): Promise<CreatedKey & { readonly expiresAt: number }>
  /** Ends the keys of a person's sessions that have ended. What a person loses with a role ends with the role. */
  endBaseless(userId: string): Promise<void>
}

export function createPlaygroundKeys(deps: PlaygroundKeysDeps): PlaygroundKeys {
  const { clock, playStore } = deps
  return {
    create: async ({ accountId, teamId, userId, sessionId, sessionExpiresAt }) => {
      const turn = Math.floor(clock.now() / SHARED_MS)
      const expiresAt = Math.min((turn + 2) * SHARED_MS, sessionExpiresAt)
      const [pepper] = deps.peppers
      const find = async () => {
        const known = await playStore.list({ sessionId, teamId, since: turn * SHARED_MS })
        // One that was revoked has a successor of another name.
        const revoked = known.filter(({ revokedAt }) => revokedAt !== null).length
        const rawKey = deriveRawKey(['playground', sessionId, teamId, `${turn}`, `${revoked}`], pepper.secret)
        const keyHash = hashKey(rawKey, pepper.secret)
        return { rawKey, live: known.find((each) => each.keyHash === keyHash && each.revokedAt === null) ?? null }
      }
      const { rawKey, live } = await find()
      const shared = (keyId: string, raw: string) => ({ keyId, rawKey: raw, display: displayOfKey(raw), expiresAt })
      if (live !== null) return shared(live.keyId, rawKey)
      try {
        const made = await createKey(deps, {
          ...{ accountId, teamId, sessionId, expiresAt, rawKey, createdBy: userId },
          ...{ name: PLAYGROUND_KEY_NAME, rights: ['inference'], kind: 'playground' },
        })
        return { ...made, expiresAt }
      } catch (error) {
        // Another page of the session was quicker.
        const found = await find()
        if (found.live === null) throw error
        return shared(found.live.keyId, found.rawKey)
      }
    },
    endBaseless: async (userId) => {
      await playStore.revokeBaseless({ userId, now: clock.now() })
    },
  }
}
