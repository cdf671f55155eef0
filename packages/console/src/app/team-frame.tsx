import { Suspense } from 'react'
import { useOwnTeam } from '../api/session.ts'
import { lazyPart } from '../ui/lazy-part.ts'
import { PageSkeleton } from '../ui/skeleton.tsx'
import { Shell } from './shell.tsx'

const NotMemberPage = lazyPart(async () => (await import('../pages/team/not-member-page.tsx')).NotMemberPage)

/** The pages of a team for its members; others read so at the address that they opened. */
export function TeamFrame() {
  if (useOwnTeam() !== null) return <Shell />
  return (
    <Suspense fallback={<PageSkeleton />}>
      <NotMemberPage />
    </Suspense>
  )
}
