import { consoleEndpoints, invoiceNumberText, usdShown, type Exact, type TeamBilling } from '@svc/contract'
import { useQueryClient, useSuspenseQueries } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { billingQuery, invoicesQuery } from '../../api/funding.ts'
import { named } from '../../api/named.ts'
import { useCan, useSession, useTeam } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Card } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'
import { textLink } from '../../ui/text-link.ts'
import { useAction } from '../../ui/use-action.ts'
import { monthText, utcDayText } from '../statement/statement-text.ts'
import { BillingDialog } from './billing-dialog.tsx'

/** Invoices, whom they are made out to, and months that have none yet. */
export function DocumentsCard() {
  const team = useTeam()
  const canManage = useCan('deposits:manage')
  const [{ data: billing }, { data: invoices }] = useSuspenseQueries({
    queries: [billingQuery(team.id), invoicesQuery(team.id)],
  })
  const [isEditing, setEditing] = useState(false)
  return (
    <Card
      title="Invoices"
      actions={
        canManage && (
          <Button look="secondary" onClick={() => setEditing(true)}>
            Billing details
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-4">
        <MadeOutTo billing={billing} />
        {canManage && billing.seller !== null && billing.details !== null && invoices.open_months.length > 0 && (
          <IssueForm months={invoices.open_months} />
        )}
        {invoices.data.length > 0 && (
          <div className={tableFrame} role="region" aria-label="List of invoices" tabIndex={0}>
            <table className={table}>
              <thead>
                <tr>
                  <th className={headCell}>Invoice</th>
                  <th className={headCell}>Month</th>
                  <th className={clsx(headCell, 'max-sm:hidden')}>Issued</th>
                  <th className={clsx(headCell, right)}>Total</th>
                </tr>
              </thead>
              <tbody>
                {invoices.data.map((invoice) => (
                  <tr key={invoice.number} className={clsx(bodyRow, 'relative')}>
                    <td className={cell}>
                      <Link
                        to="/team/$teamId/fund/invoices/$number"
                        params={{ teamId: team.id, number: String(invoice.number) }}
                        className="figures after:absolute after:inset-0"
                      >
                        {invoiceNumberText(invoice.number)}
                      </Link>
                    </td>
                    <td className={cell}>{monthText(invoice.month)}</td>
                    <td className={clsx(cell, 'max-sm:hidden')}>{utcDayText(invoice.issued_at)}</td>
                    <td className={clsx(cell, right)}>{usdShown(invoice.total_usd)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
      {isEditing && <BillingDialog details={billing.details} onClose={() => setEditing(false)} />}
    </Card>
  )
}

function MadeOutTo({ billing: { details, seller } }: { readonly billing: Exact<TeamBilling> }) {
  const { user } = useSession()
  const team = useTeam()
  if (seller === null) {
    return (
      <p className="text-soft">
        {user?.is_operator === true ? (
          <>
            Invoices need the name and address of the business: give them in{' '}
            <Link to="/team/$teamId/operator/settings" params={{ teamId: team.id }} className={textLink}>
              the gateway’s settings
            </Link>
            .
          </>
        ) : (
          'The operator of this gateway has not given its business details, so there are no invoices yet.'
        )}{' '}
        Statements have every entry of a month.
      </p>
    )
  }
  if (details === null) {
    return <p className="text-soft">Give name and address of whom invoices are for. Each month is invoiced once.</p>
  }
  return (
    <p className="text-soft">
      Made out to {details.name}, {details.address.replaceAll('\n', ', ')}
      {details.tax_id !== null && `, tax ID ${details.tax_id}`}. An invoice stays as it was issued.
    </p>
  )
}

function IssueForm({ months }: { readonly months: readonly string[] }) {
  const team = useTeam()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [month, setMonth] = useState(months[0] ?? '')
  const issue = useAction({
    act: (asked: string, name) =>
      consoleApi.call(
        consoleEndpoints.issueTeamInvoice,
        { path: { team_id: team.id }, body: { month: asked } },
        named(name),
      ),
    onSuccess: async ({ number }) => {
      await client.invalidateQueries({ queryKey: invoicesQuery(team.id).queryKey })
      await navigate({ to: '/team/$teamId/fund/invoices/$number', params: { teamId: team.id, number: String(number) } })
    },
  })
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-3">
        <div className="w-48">
          <SelectField
            label="Month without an invoice"
            value={month}
            options={months.map((value) => ({ value, text: monthText(value) }))}
            onPick={setMonth}
          />
        </div>
        <Button isBusy={issue.isPending} onClick={() => issue.mutate(month)} className="h-9">
          Issue the invoice
        </Button>
      </div>
      <Failure error={issue.error} />
    </div>
  )
}
