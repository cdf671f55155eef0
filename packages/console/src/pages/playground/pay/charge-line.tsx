import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useTeam } from '../../../api/session.ts'
import { Credits } from '../../../ui/credits.tsx'
import { quietLink } from '../../../ui/text-link.ts'

interface ChargeLineProps {
  /** Exact decimal text; null while it is not known. */
  readonly charge: string | null
  readonly requestId: string | null
  readonly isEstimated?: boolean
  /** Whether the page still wants the answer. */
  readonly isPending?: boolean
}

/** What was charged, to the last digit, and the way to why. */
export function ChargeLine({ charge, requestId, isEstimated = false, isPending = false }: ChargeLineProps) {
  const team = useTeam()
  return (
    <span
      className="flex flex-wrap items-center gap-x-3 text-[12px] text-soft"
      data-testid="charge"
      data-charge={charge ?? ''}
    >
      <span>
        {charge === null ? (
          <>{isPending ? 'The charge is being settled …' : 'The charge is not known yet'}</>
        ) : charge === '0' ? (
          <>Free</>
        ) : (
          <>
            <span className="text-text">
              <Credits value={charge} withUsd />
            </span>
            {isEstimated && <span title="The upstream reported no usage: it was counted here."> estimated</span>}
          </>
        )}
      </span>
      {requestId !== null && charge !== '0' && (
        <Link
          to="/team/$teamId/usage/$requestId"
          params={{ teamId: team.id, requestId }}
          className={clsx(quietLink, 'whitespace-nowrap')}
        >
          Why this much?
        </Link>
      )}
    </span>
  )
}
