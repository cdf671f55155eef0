import { clsx } from 'clsx'
import type { Account } from '../../api/operator.ts'
import { Credits } from '../../ui/credits.tsx'
import { LastUsed } from '../../ui/last-used.tsx'
import { rateText } from '../../ui/limit-text.ts'
import { Mark } from '../../ui/mark.tsx'
import { bodyRow, cell, headCell, restCell, right, table } from '../../ui/table.ts'
import { Time } from '../../ui/time.tsx'

const PERIODS = { none: 'in all', daily: 'a day', weekly: 'a week', monthly: 'a month' } as const

/** Teams with their caps, and who is in them. */
export function AccountMembers({ account }: { readonly account: Account }) {
  return (
    <div className="flex flex-col gap-4">
      {account.teams.map((team) => (
        <div key={team.id}>
          <div className="flex flex-wrap items-baseline gap-x-3">
            <h3 className="font-medium">{team.name}</h3>
            <span className="text-[12px] text-soft">
              {team.cap === null ? (
                'no cap'
              ) : (
                <>
                  <Credits value={team.cap.used} withUnit={false} /> of <Credits value={team.cap.credits} />{' '}
                  {PERIODS[team.cap.period]}
                </>
              )}
            </span>
          </div>
          <MemberList members={account.members.filter(({ team_id: teamId }) => teamId === team.id)} />
        </div>
      ))}
    </div>
  )
}

function MemberList({ members }: { readonly members: Account['members'] }) {
  if (members.length === 0)
    return <p className="mt-1 text-soft">No person signs in to this account; only API keys use it.</p>
  return (
    <ul className="mt-1 flex flex-col divide-y divide-line">
      {members.map((member) => (
        <li key={member.user_id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
          <span className="min-w-0 flex-1 basis-52">
            <span className="font-medium max-sm:block">{member.name}</span>{' '}
            <span className="wrap-anywhere text-soft">{member.email}</span>
          </span>
          <Mark>{member.role}</Mark>
          <span className="text-[12px] text-soft">
            since <Time seconds={member.since} />
          </span>
        </li>
      ))}
    </ul>
  )
}

export function AccountKeys({ account: { keys } }: { readonly account: Account }) {
  if (keys.length === 0) return <p className="text-soft">It has no key.</p>
  return (
    <div className="overflow-x-auto" role="region" aria-label="Keys" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={clsx(headCell, 'pl-0')}>Name</th>
            <th className={headCell}>State</th>
            <th className={clsx(headCell, right, 'max-sm:pr-0')}>Spent</th>
            <th className={clsx(headCell, right, 'hidden sm:table-cell')}>Budget</th>
            <th className={clsx(headCell, 'hidden pr-0 md:table-cell')}>Last used</th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id} className={bodyRow}>
              <td className={clsx(restCell, 'pl-0')}>
                <div className="font-medium break-words">{key.name}</div>
                <div className="font-mono text-[12px] text-soft">{key.display}</div>
                {key.requests_per_minute !== null && (
                  <div className="text-[12px] text-soft">{rateText(key.requests_per_minute_in_force)}</div>
                )}
              </td>
              <td className={cell}>
                <Mark tone={key.status === 'active' ? 'plain' : 'careful'}>{key.status}</Mark>
              </td>
              <td className={clsx(cell, right, 'max-sm:pr-0')}>
                <Credits value={key.budget_used} withUnit={false} />
              </td>
              <td className={clsx(cell, right, 'hidden whitespace-nowrap sm:table-cell')}>
                {key.budget_credits === null ? (
                  <span className="text-soft">none</span>
                ) : (
                  <>
                    <Credits value={key.budget_credits} withUnit={false} />{' '}
                    <span className="text-soft">{PERIODS[key.budget_period]}</span>
                  </>
                )}
              </td>
              <td className={clsx(cell, 'hidden whitespace-nowrap pr-0 md:table-cell')}>
                <LastUsed seconds={key.last_used_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
