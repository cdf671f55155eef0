import { useTeam } from '../../api/session.ts'
import { Card, Page } from '../../ui/page.tsx'

export function OverviewPage() {
  const team = useTeam()
  return (
    <Page title="Overview" lead={team.name}>
      <Card title="Welcome">
        <p>Your team is ready.</p>
      </Card>
    </Page>
  )
}
