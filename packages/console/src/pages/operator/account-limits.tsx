import { useState } from 'react'
import type { Account } from '../../api/operator.ts'
import { Button } from '../../ui/button.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { rateText } from '../../ui/limit-text.ts'
import { Card } from '../../ui/page.tsx'
import { LimitsDialog } from './limits-dialog.tsx'

/** How often the keys of an account may ask, and what of it is the account's own. */
export function AccountLimits({ account }: { readonly account: Account }) {
  const [isOpen, setOpen] = useState(false)
  const { set, in_force: inForce } = account.limits
  return (
    <Card
      title="Limits"
      actions={
        <Button look="secondary" onClick={() => setOpen(true)}>
          Change the limits
        </Button>
      }
    >
      <Facts>
        <Fact name="Each key">
          {rateText(inForce.requests_per_minute.most)} <Origin of={set.requests_per_minute} />
        </Fact>
        <Fact name="All keys">
          {rateText(inForce.account_requests_per_minute.most)}{' '}
          <Origin of={set.account_requests_per_minute} otherwise="ten times that of a key" />
        </Fact>
        <Fact name="Streams">
          {inForce.streams_at_once.most.toLocaleString()} at once with each key <Origin of={set.streams_at_once} />
        </Fact>
      </Facts>
      {isOpen && <LimitsDialog account={account} onClose={() => setOpen(false)} />}
    </Card>
  )
}

interface OriginProps {
  /** What was set; null where nothing was. */
  readonly of: number | null
  readonly otherwise?: string
}

function Origin({ of, otherwise = 'default' }: OriginProps) {
  return <span className="text-soft">({of === null ? otherwise : 'set for this account'})</span>
}
