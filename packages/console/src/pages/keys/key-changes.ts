/** What can be done to a team's keys. Each refreshes what the pages show of them. */
import { consoleEndpoints, type MadeTeamKey } from '@svc/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { consoleApi } from '../../api/client.ts'
import { useTeam } from '../../api/session.ts'
import type { KeyDraft } from './key-form.tsx'

function useKeysRefresh(): () => Promise<void> {
  const team = useTeam()
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['team', team.id, 'keys'] })
}

export function useCreateKey() {
  const team = useTeam()
  const refresh = useKeysRefresh()
  return useMutation({
    mutationFn: (draft: KeyDraft): Promise<MadeTeamKey> =>
      consoleApi.call(consoleEndpoints.createTeamKey, { path: { team_id: team.id }, body: draft }),
    onSuccess: refresh,
  })
}

export function useRotateKey(keyId: string) {
  const team = useTeam()
  const refresh = useKeysRefresh()
  return useMutation({
    mutationFn: (hours: number): Promise<MadeTeamKey> =>
      consoleApi.call(consoleEndpoints.rotateTeamKey, {
        path: { team_id: team.id, key_id: keyId },
        body: { overlap_hours: hours },
      }),
    onSuccess: refresh,
  })
}

export function useRevokeKey(keyId: string) {
  const team = useTeam()
  const refresh = useKeysRefresh()
  return useMutation({
    mutationFn: () => consoleApi.call(consoleEndpoints.revokeTeamKey, { path: { team_id: team.id, key_id: keyId } }),
    onSuccess: refresh,
  })
}

export function useChangeKey(keyId: string) {
  const team = useTeam()
  const refresh = useKeysRefresh()
  return useMutation({
    mutationFn: ({ expires_at: end, requests_per_minute: rate, ...draft }: KeyDraft) =>
      consoleApi.call(consoleEndpoints.changeTeamKey, {
        path: { team_id: team.id, key_id: keyId },
        body: {
          ...draft,
          ...(end === undefined ? {} : { expires_at: end }),
          ...(rate === undefined ? {} : { requests_per_minute: rate }),
        },
      }),
    onSuccess: refresh,
  })
}
