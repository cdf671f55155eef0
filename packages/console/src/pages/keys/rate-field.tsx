import type { TeamLimits } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useTeam } from '../../api/session.ts'
import { teamLimitsQuery } from '../../api/team.ts'
import { TextField } from '../../ui/field.tsx'
import { LIMIT_PATTERN } from '../../ui/limit-text.ts'

/** How often a key may ask: what the team's keys may, or less. @param props.own null for the team's. */
export function RateField({ own }: { readonly own: number | null }) {
  const team = useTeam()
  const limit = useQuery(teamLimitsQuery(team.id)).data?.requests_per_minute
  return (
    <TextField
      label="Requests a minute"
      name="rate"
      inputMode="numeric"
      pattern={LIMIT_PATTERN}
      wants="A whole number"
      placeholder={limit === undefined ? 'as the team' : `${limit.most.toLocaleString()}, as the team`}
      autoComplete="off"
      defaultValue={own ?? undefined}
      hint={limit === undefined ? 'Empty for what the team allows.' : hintFor(own, limit)}
    />
  )
}

function hintFor(own: number | null, { most }: TeamLimits['requests_per_minute']): string {
  const highest = most.toLocaleString()
  if (own !== null && own > most) return `The team’s ${highest} is lower by now, and counts.`
  return `At most the team’s ${highest}.`
}
