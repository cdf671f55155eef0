import { consoleEndpoints } from '@svc/contract'
import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { consoleApi } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { browserName } from './browser-name.ts'

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => consoleApi.call(consoleEndpoints.listBrowserSessions, {}, { signal }),
})

export function Sessions() {
  const { data } = useSuspenseQuery(sessionsQuery).data
  const client = useQueryClient()
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: sessionsQuery.queryKey })
  const end = useMutation({
    mutationFn: (id: string) => consoleApi.call(consoleEndpoints.endBrowserSession, { path: { session_id: id } }),
    onSuccess: refresh,
    onError: toast.failure,
  })
  const endOthers = useMutation({
    mutationFn: () => consoleApi.call(consoleEndpoints.endOtherSessions),
    onSuccess: refresh,
    onError: toast.failure,
  })
  return (
    <Card
      title="Sessions"
      actions={
        data.length > 1 && (
          <Button look="secondary" isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Sign out all others
          </Button>
        )
      }
    >
      <ul className="divide-y divide-line">
        {data.map((session) => (
          <li key={session.id} className="flex items-center gap-3 py-3">
            <div className="min-w-0 flex-1">
              <p className="truncate" title={session.user_agent ?? undefined}>
                {browserName(session.user_agent)}
              </p>
              <p className="text-[12px] text-soft">
                {session.address ?? 'unknown address'}, signed in <Time seconds={session.signed_in_at} />
              </p>
            </div>
            {session.is_current ? (
              <span className="text-[12px] text-success">This browser</span>
            ) : (
              <Button
                look="quiet"
                isBusy={end.isPending && end.variables === session.id}
                onClick={() => end.mutate(session.id)}
              >
                Sign out
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}
