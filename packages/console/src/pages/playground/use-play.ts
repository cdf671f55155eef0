import type { Client } from '@svc/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useSignedIn, useTeam } from '../../api/session.ts'
import type { KeptKind, Owner } from './kept-things.ts'
import { dropKey, isKeyGone, playClient } from './pay/play-client.ts'
import { type Run, type RunState, type RunStore, runStoreOf } from './run-store.ts'

export interface Play {
  readonly owner: Owner
  /** Does something with the page's key, and lets go of a key that turns out to be worth nothing. */
  readonly withClient: <Result>(work: (client: Client) => Promise<Result>) => Promise<Result>
  /** Shows the new balance and usage everywhere. */
  readonly onCharged: () => void
}

/** How the pages of the playground reach the gateway. */
export function usePlay(): Play {
  const team = useTeam()
  const { user } = useSignedIn()
  const cache = useQueryClient()
  return useMemo(
    () => ({
      owner: { userId: user.id, teamId: team.id },
      withClient: async (work) => {
        try {
          return await work(await playClient(team.id))
        } catch (error) {
          if (isKeyGone(error)) dropKey(team.id)
          throw error
        }
      },
      onCharged: () => {
        for (const kind of ['balance', 'usage', 'usage-days']) {
          void cache.invalidateQueries({ queryKey: ['team', team.id, kind] })
        }
      },
    }),
    [user.id, team.id, cache],
  )
}

/** The runs of one kind, and what they are. */
export function useRuns<Kind extends Run>(kind: KeptKind): { store: RunStore<Kind>; state: RunState<Kind> } {
  const { owner, onCharged } = usePlay()
  const store = useMemo(() => runStoreOf<Kind>(owner, kind), [owner, kind])
  useEffect(() => {
    store.onCharged = onCharged
  }, [store, onCharged])
  return { store, state: useSyncExternalStore(store.subscribe, store.snapshot) }
}
