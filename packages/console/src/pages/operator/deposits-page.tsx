import { depositStates, type Exact, type OperatorDeposit } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { operatorDepositsQuery } from '../../api/operator.ts'
import type { DepositsSearch } from '../../app/operator-search.ts'
import { assetAmount } from '../../ui/asset-amount.ts'
import { Credits } from '../../ui/credits.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'
import { textLink } from '../../ui/text-link.ts'
import { NetworkMark } from '../../ui/network-mark.tsx'
import { Time } from '../../ui/time.tsx'
import { DepositMark, stateText } from './deposit-mark.tsx'
import { Paging } from './paging.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'

const route = getRouteApi('/signed-in/team/$teamId/operator/deposits')

export type Deposit = Exact<OperatorDeposit>

export function DepositsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error } = useQuery(operatorDepositsQuery(search))
  const { state = 'under_review' } = search
  return (
    <Page title="Deposits" lead="Payments on a chain. Those under review wait for your word.">
      <div className="flex flex-col gap-4">
        <Filters search={search} />
        <Failure error={error} />
        {data === undefined && error === null && <RowsSkeleton />}
        {data?.data.length === 0 && (
          <Empty
            text={state === 'under_review' ? 'Nothing waits for you.' : 'No deposit matches this filter.'}
            action={
              state !== 'all' && (
                <Button look="secondary" onClick={() => void navigate({ search: { state: 'all' }, replace: true })}>
                  Show all deposits
                </Button>
              )
            }
          />
        )}
        {data !== undefined && data.data.length > 0 && <DepositTable deposits={data.data} search={search} />}
        <Paging
          after={search.after}
          next={data?.has_more === true ? data.data.at(-1)?.id : undefined}
          what="deposits"
        />
      </div>
      <Outlet />
    </Page>
  )
}

function Filters({ search }: { readonly search: DepositsSearch }) {
  const navigate = route.useNavigate()
  const { teamId } = route.useParams()
  const { state = 'under_review', account } = search
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
      <SelectField
        label="State"
        className="w-44"
        value={state}
        options={[
          ...depositStates.map((each) => ({ value: each, text: stateText(each) })),
          { value: 'all', text: 'all of them' },
        ]}
        onPick={(picked) => {
          const next = depositStates.find((each) => each === picked) ?? 'all'
          const kept = account === undefined ? {} : { account }
          void navigate({ search: next === 'under_review' ? kept : { ...kept, state: next }, replace: true })
        }}
      />
      {account !== undefined && (
        <p className="pb-2 text-soft">
          of the account <span className="font-mono text-[12px]">{account.slice(0, 8)}…</span>{' '}
          <Link to="/team/$teamId/operator/deposits" params={{ teamId }} search={{ state }} className={textLink}>
            of all
          </Link>
        </p>
      )}
    </div>
  )
}

function DepositTable({
  deposits,
  search,
}: {
  readonly deposits: readonly Deposit[]
  readonly search: DepositsSearch
}) {
  const { teamId } = route.useParams()
  return (
    <div className={tableFrame} role="region" aria-label="Deposits" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={headCell}>Payment</th>
            <th className={clsx(headCell, right)}>Worth</th>
            <th className={clsx(headCell, 'hidden sm:table-cell')}>State</th>
            <th className={clsx(headCell, 'hidden md:table-cell')}>Why it waits</th>
            <th className={clsx(headCell, 'hidden sm:table-cell')}>Seen</th>
          </tr>
        </thead>
        <tbody>
          {deposits.map((deposit) => (
            <tr key={deposit.id} className={clsx(bodyRow, 'relative')}>
              <td className={cell}>
                <Link
                  to="/team/$teamId/operator/deposits/$depositId"
                  params={{ teamId, depositId: deposit.id }}
                  search={search}
                  resetScroll={false}
                  className="figures font-medium whitespace-nowrap after:absolute after:inset-0"
                >
                  {assetAmount(deposit.amount_decimal, deposit.asset)}
                </Link>{' '}
                <NetworkMark chainId={deposit.chainId} />
                <div className="font-mono text-[12px] text-soft">{deposit.txHash.slice(0, 12)}…</div>
                <div className="sm:hidden">
                  <DepositMark state={deposit.status} />
                </div>
              </td>
              <td className={clsx(cell, right)}>
                {deposit.credits === null ? (
                  <span className="text-soft">unknown</span>
                ) : (
                  <Credits value={deposit.credits} withUnit={false} />
                )}
              </td>
              <td className={clsx(cell, 'hidden sm:table-cell')}>
                <DepositMark state={deposit.status} />
              </td>
              <td className={clsx(cell, 'hidden text-soft md:table-cell')}>{deposit.note ?? deposit.reason ?? ''}</td>
              <td className={clsx(cell, 'hidden whitespace-nowrap sm:table-cell')}>
                <Time seconds={deposit.created} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
