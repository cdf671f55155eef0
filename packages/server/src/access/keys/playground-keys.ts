/** Keys that the console makes for its playground. Source: decision 0045 (the playground). */
import { type CreatedKey, createKey, type CreateKeyDeps } from './create-key.ts'
import type { PlaygroundKeyStore } from './playground-key-store.ts'

/** What people see as the name of such a key, in lists and beside what it spent. */
export const PLAYGROUND_KEY_NAME = 'Playground'

/** How long such a key lives at most, in milliseconds. A page asks for the next one before. */
export const PLAYGROUND_KEY_MS = 30 * 60_000

/** Live keys of one session in one team: one for each page that is open. The oldest ends when there are more. */
const LIVE_MAX = 8

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
  /** Makes a key that can ask models and nothing else. It ends with the session, and soon by itself. */
  create(player: Player): Promise<CreatedKey & { readonly expiresAt: number }>
  /** Ends the keys of a person's sessions that have ended. What a person loses with a role ends with the role. */
  endBaseless(userId: string): Promise<void>
}

export function createPlaygroundKeys(deps: PlaygroundKeysDeps): PlaygroundKeys {
  const { clock, playStore } = deps
  return {
    create: async ({ accountId, teamId, userId, sessionId, sessionExpiresAt }) => {
      const expiresAt = Math.min(clock.now() + PLAYGROUND_KEY_MS, sessionExpiresAt)
      const made = await createKey(deps, {
        ...{ accountId, teamId, sessionId, expiresAt, createdBy: userId },
        ...{ name: PLAYGROUND_KEY_NAME, rights: ['inference'], kind: 'playground' },
      })
      await playStore.keepNewest({ sessionId, teamId, kept: LIVE_MAX, now: clock.now() })
      return { ...made, expiresAt }
    },
    endBaseless: async (userId) => {
      await playStore.revokeBaseless({ userId, now: clock.now() })
    },
  }
}
