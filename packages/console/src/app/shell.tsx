/** What is around every page: sidebar (a bar at the bottom on a phone), top bar, and the page in the middle. */
import { useQuery } from '@tanstack/react-query'
import { Outlet, useRouter } from '@tanstack/react-router'
import { type ComponentProps, Suspense, useEffect } from 'react'
import { announcementsQuery } from '../api/announcements.ts'
import { ownInvitationsQuery } from '../api/own-invitations.ts'
import { useTeam } from '../api/session.ts'
import { lazyPart } from '../ui/lazy-part.ts'
import { PageSkeleton } from '../ui/skeleton.tsx'
import type { Announcements as News } from './announcements.tsx'
import { rememberTeam } from './last-team.ts'
import type { OwnInvitations as Invitations } from './own-invitations.tsx'
import { BottomBar, Sidebar } from './navigation.tsx'
import { TopBar } from './top-bar.tsx'
import { useKeptFocus } from './use-kept-focus.ts'

/** Most people have none. */
const OwnInvitations = lazyPart<ComponentProps<typeof Invitations>>(
  async () => (await import('./own-invitations.tsx')).OwnInvitations,
  () => null,
)

/** Most of the time there are none. */
const Announcements = lazyPart<ComponentProps<typeof News>>(
  async () => (await import('./announcements.tsx')).Announcements,
  () => null,
)

/** A link that led to another page is gone with its page: the keyboard goes on with the content of the new one. */
function useContentFocus(): void {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (fromLocation === undefined || !pathChanged || document.activeElement !== document.body) return
        document.getElementById('content')?.focus({ preventScroll: true })
      }),
    [router],
  )
}

export function Shell() {
  const team = useTeam()
  const announcements = useQuery(announcementsQuery).data?.data ?? []
  const invitations = useQuery(ownInvitationsQuery).data?.data ?? []
  useContentFocus()
  useKeptFocus()
  useEffect(() => rememberTeam(team.id), [team.id])
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[232px_1fr] print:block">
      <a
        href="#content"
        className="sr-only z-50 rounded bg-accent px-3
          py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <Sidebar />
      <div className="flex min-h-dvh min-w-0 flex-col print:block">
        <TopBar />
        <main
          id="content"
          tabIndex={-1}
          className="mx-auto flex w-full max-w-[96rem] flex-1 flex-col px-4 pt-6 pb-[calc(var(--bar)+2rem)] outline-none
            md:px-8 md:pt-8 md:pb-12 print:block"
        >
          {team.is_suspended && (
            <p role="alert" className="mb-6 rounded-lg bg-danger-soft px-4 py-3 text-danger">
              This account is suspended: its requests are refused. Ask the operator of the gateway.
            </p>
          )}
          {announcements.length > 0 && (
            <Suspense fallback={null}>
              <Announcements announcements={announcements} />
            </Suspense>
          )}
          {invitations.length > 0 && (
            <Suspense fallback={null}>
              <OwnInvitations invitations={invitations} />
            </Suspense>
          )}
          <Suspense fallback={<PageSkeleton />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      <BottomBar />
    </div>
  )
}
