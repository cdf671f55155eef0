import { type Exact, formatCredits, nanocreditsFrom, type TeamBalance, type TeamKey } from '@svc/contract'
import { useQuery, useSuspenseQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useCan, useTeam } from '../../api/session.ts'
import { balanceQuery, keysQuery, teamSettingsQuery } from '../../api/team.ts'
import { Credits, Usd } from '../../ui/credits.tsx'
import { Figure, Figures } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Card } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'

const REFRESH_MS = 15_000
/** Keys that are named; the others are counted. */
const NAMED_KEYS = 3

/** What there is, and which limit the next request meets first. */
export function Standing() {
  const team = useTeam()
  const [{ data: balance }, { data: settings }] = useSuspenseQueries({
    queries: [{ ...balanceQuery(team.id), refetchInterval: REFRESH_MS }, teamSettingsQuery(team.id)],
  })
  return (
    <Card>
      <Figures>
        <Figure name="Balance" note={<Usd value={balance.credits} isBalance />}>
          <Credits value={balance.credits} isBalance />
        </Figure>
        <Figure name="Available" note={<Usd value={balance.credits_available} isBalance />}>
          <Credits value={balance.credits_available} isBalance />
        </Figure>
        <Figure name="On hold" note="for requests that run now">
          <Credits value={balance.credits_reserved} />
        </Figure>
      </Figures>
      <dl className="mt-5 flex flex-col gap-2 border-t border-line pt-4">
        <Limit name="Team’s spending cap" binds={balance.limited_by === 'team'}>
          <CapText cap={settings.cap_credits} used={settings.cap_used} resetsAt={settings.cap_resets_at} />
        </Limit>
        <KeyLimits balance={balance} />
      </dl>
    </Card>
  )
}

interface LimitProps {
  readonly name: string
  /** Whether it leaves less than the balance. */
  readonly binds: boolean
  readonly children: ReactNode
}

function Limit({ name, binds, children }: LimitProps) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5">
      <dt className="w-40 shrink-0 text-soft">{name}</dt>
      <dd className="min-w-0">
        {children} {binds && <Mark tone="careful">limits you now</Mark>}
      </dd>
    </div>
  )
}

interface CapTextProps {
  readonly cap: string | null
  readonly used: string
  readonly resetsAt: number | null
}

function CapText({ cap, used, resetsAt }: CapTextProps) {
  const team = useTeam()
  const link = (
    <Link to="/team/$teamId/team" params={{ teamId: team.id }} className="underline underline-offset-2">
      {cap === null ? 'Set one' : 'Change it'}
    </Link>
  )
  if (cap === null) return <>None: all keys together may spend the balance. {link}</>
  const left = nanocreditsFrom(cap) - nanocreditsFrom(used)
  return (
    <>
      <Credits value={formatCredits(left < 0n ? 0n : left)} isBalance /> of <Credits value={cap} /> left
      {resetsAt !== null && (
        <>
          , renewed <Time seconds={resetsAt} />
        </>
      )}
      . {link}
    </>
  )
}

/** What the budget of a key leaves; null where it has none. */
function leftOf({ budget_credits: limit, budget_used: used }: Exact<TeamKey>): bigint | null {
  if (limit === null) return null
  const left = nanocreditsFrom(limit) - nanocreditsFrom(used)
  return left < 0n ? 0n : left
}

/** Keys whose own budget leaves less than the team could spend. */
function KeyLimits({ balance }: { readonly balance: Exact<TeamBalance> }) {
  const team = useTeam()
  const { data } = useQuery({ ...keysQuery(team.id, { state: 'active' }), enabled: useCan('keys:own') })
  if (data === undefined) return null
  const available = nanocreditsFrom(balance.credits_available)
  const limited = data.data.flatMap((key) => {
    const left = leftOf(key)
    return left !== null && left < available ? [{ id: key.id, name: key.name, left }] : []
  })
  const rest = limited.length - NAMED_KEYS
  return (
    <Limit name="Budgets of keys" binds={false}>
      {limited.length === 0 && 'No key has less left than the team.'}
      {limited.slice(0, NAMED_KEYS).map(({ id, name, left }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link
            to="/team/$teamId/keys/$keyId"
            params={{ teamId: team.id, keyId: id }}
            className="underline underline-offset-2"
          >
            {name}
          </Link>{' '}
          has <Credits value={formatCredits(left)} isBalance /> left
        </span>
      ))}
      {rest > 0 && `, and ${rest} more have less left than the team`}
    </Limit>
  )
}
