import { nanocreditsFrom } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Suspense } from 'react'
import { useTeam } from '../api/session.ts'
import { balanceQuery, teamSettingsQuery } from '../api/team.ts'
import { Credits } from '../ui/credits.tsx'
import { lazyPart } from '../ui/lazy-part.ts'

/** Nothing has moved yet when a page opens. */
const LastMove = lazyPart(
  async () => (await import('./last-move.tsx')).LastMove,
  () => null,
)

const BALANCE_MS = 15_000
const SETTINGS_MS = 60_000
/** The bar is seen from twice the threshold down. */
const NEAR = 2n

/**
 * What can be spent, kept up to date while the page is seen, on the way to more of it. A quiet bar appears below it
 * when the team's threshold is near.
 */
export function Balance() {
  const team = useTeam()
  const { data } = useQuery({ ...balanceQuery(team.id), refetchInterval: BALANCE_MS })
  const { data: settings } = useQuery({ ...teamSettingsQuery(team.id), staleTime: SETTINGS_MS })
  // Mails go by the balance, whatever a cap leaves of it.
  const share = nearness(data?.credits, settings?.alert_credits ?? null)
  return (
    <span className="relative min-w-24 shrink-0 text-right font-medium whitespace-nowrap">
      <Link
        to="/team/$teamId/fund"
        params={{ teamId: team.id }}
        className="flex min-h-[24px] items-center justify-end rounded hover:text-accent"
      >
        <span role="status" aria-label="Credits available">
          {data !== undefined && <Credits value={data.credits_available} isBalance />}
          {data?.limited_by === 'team' && (
            <span className="text-soft" title="The team’s spending cap leaves less than its balance">
              {' '}
              left of the cap
            </span>
          )}
        </span>
      </Link>
      <Suspense fallback={null}>
        <LastMove
          credits={data?.credits}
          isLow={share !== null && share < 0.5}
          threshold={settings?.alert_credits ?? null}
        />
      </Suspense>
      {share !== null && (
        <span
          title={`Mails are sent below ${settings?.alert_credits ?? ''} credits`}
          className="absolute inset-x-0 -bottom-0.5 block h-[3px] overflow-hidden rounded-full bg-line"
        >
          <span
            className={clsx('block h-full rounded-full', share < 0.5 ? 'bg-danger' : 'bg-warning')}
            style={{ width: `${share * 100}%` }}
          />
          <span className="sr-only">{share < 0.5 ? 'below the threshold' : 'near the threshold'}</span>
        </span>
      )}
    </span>
  )
}

/** How much is left of twice the threshold, from 0 to 1; null where it is far, unknown or not set. */
function nearness(credits: string | undefined, threshold: string | null): number | null {
  if (credits === undefined || threshold === null) return null
  const near = nanocreditsFrom(threshold) * NEAR
  const left = nanocreditsFrom(credits)
  if (near === 0n || left >= near) return null
  return left <= 0n ? 0 : Number((left * 1_000n) / near) / 1_000
}
