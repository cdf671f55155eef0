import { useSuspenseQuery } from '@tanstack/react-query'
import { useTeam } from '../../api/session.ts'
import { teamLimitsQuery } from '../../api/team.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { rateText } from '../../ui/limit-text.ts'
import { Card } from '../../ui/page.tsx'

/** How often the team's keys may ask. The operator alone changes it. */
export function LimitsCard() {
  const team = useTeam()
  const { data: limits } = useSuspenseQuery(teamLimitsQuery(team.id))
  const { requests_per_minute: key, account_requests_per_minute: all, streams_at_once: streams } = limits
  const isOwn = [key, all, streams].some(({ set_for: setFor }) => setFor === 'team')
  return (
    <Card title="Limits">
      <Facts>
        <Fact name="Each key">{rateText(key.most)}</Fact>
        <Fact name="All keys">{rateText(all.most)}</Fact>
        <Fact name="Streams">{streams.most.toLocaleString()} at once with each key</Fact>
      </Facts>
      <p className="mt-3 text-soft">
        {isOwn ? 'The operator has set this for your team.' : 'As for every team of this gateway.'} A key can have a
        lower limit of its own. What is above is refused for a moment and costs nothing.
      </p>
    </Card>
  )
}
