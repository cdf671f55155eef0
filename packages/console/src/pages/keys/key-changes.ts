/** What can be done to a team's keys. Each refreshes what the pages show of them. */
import { consoleEndpoints, type MadeTeamKey } from '@svc/contract'
import { useQueryClient } from '@tanstack/react-query'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import { useTeam } from '../../api/session.ts'
import { useAction } from '../../ui/use-action.ts'
import type { KeyDraft } from './key-form.tsx'

function useKeysRefresh(): () => Promise<void> {
  const team = useTeam()
  const client = useQueryClient()
  return () => client.invalidateQueries({ queryKey: ['team', team.id, 'keys'] })
}

export function useCreateKey() {
  const team = useTeam()
  const refresh = useKeysRefresh()
  return useAction({
    act: (draft: KeyDraft, name): Promise<MadeTeamKey> =>
      consoleApi.call(consoleEndpoints.createTeamKey, { path: { team_id: team.id }, body: draft }, named(name)),
    onSuccess: refresh,
  })
}

export function useRotateKey(keyId: string) {
  const team = useTeam()
  const refresh = useKeysRefresh()
  return useAction({
    act: (hours: number, name): Promise<MadeTeamKey> =>
      consoleApi.call(
        consoleEndpoints.rotateTeamKey,
        { path: { team_id: team.id, key_id: keyId }, body: { overlap_hours: hours } },
        named(name),
      ),
    onSuccess: refresh,
  })
}

export function useRevokeKey(keyId: string) {
  const team = useTeam()
  const refresh = useKeysRefresh()
  return useAction({
    act: () => consoleApi.call(consoleEndpoints.revokeTeamKey, { path: { team_id: team.id, key_id: keyId } }),
    onSuccess: refresh,
  })
}

export function useChangeKey(keyId: string) {
  const team = useTeam()
  const refresh = useKeysRefresh()
  return useAction({
    act: ({ expires_at: end, requests_per_minute: rate, kind: _kind, ...draft }: KeyDraft) =>
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
