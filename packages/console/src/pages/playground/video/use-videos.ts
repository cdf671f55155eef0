import { type Client, endpoints, type Exact, type VideoReply } from '@svc/contract'
import { useInfiniteQuery, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { named } from '../../../api/named.ts'
import { useTeam } from '../../../api/session.ts'
import { useAction } from '../../../ui/use-action.ts'
import { keep, listKept } from '../kept-things.ts'
import type { AnswerHead } from '../pay/answer-head.ts'
import { isKeyGone } from '../pay/play-client.ts'
import { type Play, usePlay } from '../use-play.ts'
import { isOpen, type videoBodyOf, type VideoNote } from './video-request.ts'

const POLL_MS = 2_000
const PAGE = 20

/** A key that was revoked is not asked with again and again: the person decides. */
const isWorthAnother = (failures: number, error: Error): boolean => failures < 1 && !isKeyGone(error)

function useJobs(queryKey: readonly string[], { withClient }: Play) {
  return useInfiniteQuery({
    queryKey: [...queryKey, 'list'],
    queryFn: ({ pageParam }) =>
      withClient((client) =>
        client.call(endpoints.listVideos, {
          query: { limit: PAGE, ...(pageParam === '' ? {} : { after: pageParam }) },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ has_more: hasMore, last_id: last }) => (hasMore && last !== null ? last : undefined),
    retry: isWorthAnother,
  })
}

/** The list has what was last seen; a job that is open is asked for by itself. */
function usePolledJobs(queryKey: readonly string[], jobs: readonly Exact<VideoReply>[], { withClient }: Play) {
  const polled = useQueries({
    queries: jobs.filter(isOpen).map(({ id }) => ({
      queryKey: [...queryKey, 'job', id],
      queryFn: () => withClient((client) => client.call(endpoints.getVideo, { path: { jobId: id } })),
      refetchInterval: ({ state }: { state: { data?: Exact<VideoReply> | undefined; error: Error | null } }) =>
        state.error === null && (state.data === undefined || isOpen(state.data)) ? POLL_MS : (false as const),
      retry: isWorthAnother,
    })),
  })
  const seen = new Map(polled.flatMap(({ data }) => (data === undefined ? [] : [[data.id, data] as const])))
  return {
    jobs: jobs.map((job) => seen.get(job.id) ?? job),
    error: polled.find(({ error }) => error !== null)?.error ?? null,
    again: () => polled.forEach(({ error, refetch }) => error !== null && void refetch()),
  }
}

/** The videos of the account, newest first, asked for again while one is being made; and how to make another. */
export function useVideos() {
  const team = useTeam()
  const cache = useQueryClient()
  const play = usePlay()
  const { owner, withClient, onCharged } = play
  const queryKey = ['team', team.id, 'videos']
  const list = useJobs(queryKey, play)
  const listed = list.data?.pages.flatMap(({ data }) => data) ?? []
  const polled = usePolledJobs(queryKey, listed, play)
  const notes = useQuery({
    queryKey: [...queryKey, 'notes'],
    queryFn: () => listKept<VideoNote>(owner, 'video'),
    staleTime: Infinity,
  })
  const submit = useAction({
    act: async (body: ReturnType<typeof videoBodyOf>, name) => {
      const { job, requestId } = await withClient((client) => submitVideo(client, body, name))
      await keep(owner, 'video', { id: job.id, at: Date.now(), prompt: body.prompt ?? '', requestId } as VideoNote)
    },
    onSettled: () => cache.invalidateQueries({ queryKey }),
    onSuccess: onCharged,
  })
  const ended = polled.jobs.filter((job) => !isOpen(job)).length
  useEffect(() => onCharged(), [ended, onCharged])
  return {
    list,
    jobs: polled.jobs,
    submit,
    error: list.error ?? polled.error,
    again: () => (list.error === null ? polled.again() : void list.refetch()),
    noteOf: (id: string) => notes.data?.find((note) => note.id === id) ?? null,
  }
}

async function submitVideo(client: Client, body: ReturnType<typeof videoBodyOf>, name: string) {
  let requestId: string | null = null
  const onResponse = ({ headers }: AnswerHead): void => {
    requestId = headers.get('x-request-id')
  }
  const job = await client.call(endpoints.submitVideo, { body }, { ...named(name), onResponse })
  return { job, requestId: requestId as string | null }
}
