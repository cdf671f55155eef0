import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { AudioLines, Image, MessageSquare, Video } from 'lucide-react'
import { Suspense } from 'react'
import { useCan, useTeam } from '../../api/session.ts'
import type { PlaygroundTab } from '../../app/search.ts'
import { buttonLook } from '../../ui/button.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { Empty, Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { quietLink } from '../../ui/text-link.ts'

const route = getRouteApi('/signed-in/team/$teamId/playground')

const ChatTab = lazyPart(async () => (await import('./chat/chat-tab.tsx')).ChatTab)
const ImageTab = lazyPart(async () => (await import('./image/image-tab.tsx')).ImageTab)
const VideoTab = lazyPart(async () => (await import('./video/video-tab.tsx')).VideoTab)
const AudioTab = lazyPart(async () => (await import('./audio/audio-tab.tsx')).AudioTab)

const TABS = [
  { tab: 'chat', name: 'Chat', icon: MessageSquare, Body: ChatTab },
  { tab: 'image', name: 'Image', icon: Image, Body: ImageTab },
  { tab: 'video', name: 'Video', icon: Video, Body: VideoTab },
  { tab: 'audio', name: 'Audio', icon: AudioLines, Body: AudioTab },
] as const satisfies readonly { tab: PlaygroundTab; [key: string]: unknown }[]

/** Trying models with the team's credits. */
export function PlaygroundPage() {
  const team = useTeam()
  const canPlay = useCan('play')
  const canSee = useCan('usage:own')
  const { tab: shown = 'chat' } = route.useSearch()
  const Body = TABS.find(({ tab }) => tab === shown)?.Body ?? TABS[0].Body
  return (
    <Page
      title="Playground"
      actions={
        canSee && (
          <Link
            to="/team/$teamId/usage"
            params={{ teamId: team.id }}
            search={{ key: 'playground' }}
            className={quietLink}
          >
            What it has cost
          </Link>
        )
      }
    >
      <nav aria-label="Kinds" className="-mt-2 mb-5 flex gap-1 overflow-x-auto border-b border-line">
        {TABS.map(({ tab, name, icon: Icon }) => (
          <Link
            key={tab}
            to="/team/$teamId/playground"
            params={{ teamId: team.id }}
            search={tab === 'chat' ? {} : { tab }}
            aria-current={tab === shown ? 'page' : undefined}
            className={clsx(
              '-mb-px flex items-center gap-2 border-b-2 px-3 py-2',
              tab === shown ? 'border-accent font-medium text-text' : 'border-transparent text-soft hover:text-text',
            )}
          >
            <Icon size={16} aria-hidden />
            {name}
          </Link>
        ))}
      </nav>
      {canPlay ? (
        <Suspense fallback={<TabSkeleton />}>
          <Body key={team.id} />
        </Suspense>
      ) : (
        <Empty
          text={`The role ${team.role} may not spend credits here. Ask an owner or admin of the team.`}
          action={
            <Link to="/team/$teamId/team" params={{ teamId: team.id }} className={buttonLook('secondary')}>
              Who they are
            </Link>
          }
        />
      )}
    </Page>
  )
}

function TabSkeleton() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_260px]">
      <Skeleton className="h-[60dvh] w-full" />
      <Skeleton className="hidden h-80 lg:block" />
    </div>
  )
}
