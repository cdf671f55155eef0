import { formatUsd, nanocreditsFrom, shortDecimal, usdShown } from '@svc/contract'
import { useSuspenseQueries } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { billingQuery, type Deposit, depositQuery } from '../../api/funding.ts'
import { useTeam } from '../../api/session.ts'
import { backLink } from '../../ui/back-link.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Network } from '../../ui/network-mark.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { exactText, utcDayText, utcText } from '../statement/statement-text.ts'
import { Paper, PrintButton } from './paper.tsx'

const route = getRouteApi('/signed-in/team/$teamId/fund/receipts/$depositId')

/** The receipt of a deposit: what was paid, at which price, and what it became. */
export function ReceiptPage() {
  const team = useTeam()
  const { depositId } = route.useParams()
  const [{ data: deposit }, { data: billing }] = useSuspenseQueries({
    queries: [depositQuery(team.id, depositId), billingQuery(team.id)],
  })
  return (
    <>
      <Link to="/team/$teamId/fund" params={{ teamId: team.id }} className={backLink}>
        <ArrowLeft size={14} aria-hidden />
        Funding
      </Link>
      <Page title="Receipt" actions={deposit.status === 'credited' && <PrintButton />}>
        {deposit.status === 'credited' ? (
          <Paper
            name="Receipt"
            seller={billing.seller}
            buyer={billing.details}
            isTest={billing.is_test}
            facts={[
              { name: 'Receipt', text: deposit.id },
              { name: 'Paid', text: utcDayText(deposit.credited_at ?? deposit.created) },
            ]}
          >
            <Paid deposit={deposit} />
          </Paper>
        ) : (
          <Empty
            text="A deposit has a receipt once its credits are in the balance."
            action={
              <Link to="/team/$teamId/fund" params={{ teamId: team.id }} className={buttonLook('secondary')}>
                See how far it is
              </Link>
            }
          />
        )}
      </Page>
    </>
  )
}

function Paid({ deposit }: { readonly deposit: Deposit }) {
  const credits = deposit.credits ?? '0'
  const usd = usdShown(formatUsd(nanocreditsFrom(credits)), 'exact')
  const rows = [
    ['Paid', `${shortDecimal(deposit.amount)} ${deposit.asset}`],
    ...(deposit.asset === 'USDG' || deposit.price_usd === null
      ? []
      : [['Price', `1 ${deposit.asset} = ${usdShown(deposit.price_usd, 'exact')}`]]),
    ['Credits', exactText(credits)],
    ['Credited', `${utcText(deposit.credited_at ?? deposit.created)} UTC`],
  ] as const
  return (
    <section aria-label="What was paid" className="flex flex-col gap-6">
      <p className="text-[28px] leading-9 font-semibold break-all">{usd}</p>
      <table className="w-full" aria-label="What was paid">
        <tbody>
          {rows.map(([name, text]) => (
            <tr key={name} className="border-b border-line/70">
              <th scope="row" className="py-2 text-left font-normal text-soft">
                {name}
              </th>
              <td className="py-2 pl-3 text-right break-all">{text}</td>
            </tr>
          ))}
          <tr>
            <th scope="row" className="py-2 text-left font-normal text-soft">
              Network
            </th>
            <td className="py-2 pl-3 text-right">
              <Network chainId={deposit.chainId} />
            </td>
          </tr>
        </tbody>
      </table>
      <p className="text-[12px] break-all text-soft">
        Transaction <span className="font-mono">{deposit.txHash}</span>. Credits are prepaid, 1,000 for 1 USD, and do
        not expire; what is used of them is on the month’s invoice.
      </p>
    </section>
  )
}
