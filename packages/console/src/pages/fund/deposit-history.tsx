import { shortDecimal } from '@svc/contract'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useEffect } from 'react'
import { type Deposit, depositsQuery } from '../../api/funding.ts'
import { useCan, useTeam } from '../../api/session.ts'
import { balanceQuery } from '../../api/team.ts'
import type { FundSearch } from '../../app/search.ts'
import { buttonLook } from '../../ui/button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Empty } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'
import { Time } from '../../ui/time.tsx'
import { DepositStatus } from './deposit-status.tsx'
import { NetworkMark } from '../../ui/network-mark.tsx'
import { PAY } from './place.ts'
import { textLink } from '../../ui/text-link.ts'

interface DepositHistoryProps {
  readonly search: FundSearch
  /** Whether the person could pay now. */
  readonly isOpen?: boolean
}

/** Deposits, newest first; what moves is shown as it moves. */
export function DepositHistory({ search, isOpen = true }: DepositHistoryProps) {
  const team = useTeam()
  const client = useQueryClient()
  const { data, error } = useQuery(depositsQuery(team.id, search.after))
  const credited = data?.data.flatMap(({ status, id }) => (status === 'credited' ? [id] : [])).join()
  useEffect(() => {
    if (credited !== undefined) void client.invalidateQueries({ queryKey: balanceQuery(team.id).queryKey })
  }, [credited, client, team.id])
  if (!isOpen && data?.data.length === 0) return null
  return (
    <section aria-label="Deposits" className="flex flex-col gap-3">
      <h2 className="font-semibold">Deposits</h2>
      {error !== null && data === undefined && <Failure error={error} />}
      {data === undefined && error === null && <Skeleton className="h-40 w-full" />}
      {data !== undefined && data.data.length === 0 && (
        <Empty
          text={
            search.after === undefined
              ? 'No deposit yet. What is paid to the address shows here within seconds.'
              : 'There are no older deposits.'
          }
          action={
            search.after === undefined ? (
              <WayToPay />
            ) : (
              <Link
                to="/team/$teamId/fund"
                params={{ teamId: team.id }}
                search={({ after: _after, ...rest }) => rest}
                className={buttonLook('secondary')}
              >
                Show the newest
              </Link>
            )
          }
        />
      )}
      {data !== undefined && data.data.length > 0 && <Table deposits={data.data} search={search} />}
      {data !== undefined && <Paging search={search} hasMore={data.has_more} lastId={data.last_id} />}
    </section>
  )
}

/** For who cannot pay it leads to those who can. */
function WayToPay() {
  const team = useTeam()
  if (useCan('deposits:manage')) {
    return (
      <a href={`#${PAY}`} className={buttonLook('secondary')}>
        Show the address
      </a>
    )
  }
  return (
    <Link to="/team/$teamId/team" params={{ teamId: team.id }} className={buttonLook('secondary')}>
      Who can make one
    </Link>
  )
}

function Table({ deposits, search }: DepositHistoryProps & { readonly deposits: readonly Deposit[] }) {
  return (
    <div className={tableFrame} role="region" aria-label="List of deposits" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={headCell}>
              <span className="sm:hidden">Deposit</span>
              <span className="max-sm:hidden">When</span>
            </th>
            <th className={clsx(headCell, right, 'hidden sm:table-cell')}>Amount</th>
            <th className={clsx(headCell, 'hidden md:table-cell')}>Transaction</th>
            <th className={clsx(headCell, right)}>Credits</th>
            <th className={clsx(headCell, 'hidden sm:table-cell')}>State</th>
          </tr>
        </thead>
        <tbody>
          {deposits.map((deposit) => (
            <Row key={deposit.id} deposit={deposit} search={search} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const HASH_HEAD = 10
const HASH_TAIL = 6

function Row({ deposit, search }: DepositHistoryProps & { readonly deposit: Deposit }) {
  const team = useTeam()
  const { txHash } = deposit
  return (
    <tr className={clsx(bodyRow, 'relative')}>
      <td className={clsx(cell, 'whitespace-nowrap')}>
        <Link
          to="/team/$teamId/fund/deposits/$depositId"
          params={{ teamId: team.id, depositId: deposit.id }}
          search={search}
          resetScroll={false}
          className="after:absolute after:inset-0"
        >
          <span className="block sm:hidden">
            <Amount deposit={deposit} />
          </span>
          <span className="max-sm:text-[12px] max-sm:text-soft">
            <Time seconds={deposit.created} />
          </span>
        </Link>
        <div className="mt-0.5 sm:hidden">
          <DepositStatus deposit={deposit} />
        </div>
      </td>
      <td className={clsx(cell, right, 'hidden whitespace-nowrap sm:table-cell')}>
        <Amount deposit={deposit} />
      </td>
      <td className={clsx(cell, 'hidden font-mono text-[12.5px] text-soft md:table-cell')} title={txHash}>
        {txHash.slice(0, HASH_HEAD)}…{txHash.slice(-HASH_TAIL)}
      </td>
      <td className={clsx(cell, right, 'whitespace-nowrap')}>
        {deposit.credits === null ? (
          <span className="text-soft">not known yet</span>
        ) : (
          <span className={clsx(deposit.status !== 'credited' && 'text-soft')}>
            <Credits value={deposit.credits} withUnit={false} />
          </span>
        )}
      </td>
      <td className={clsx(cell, 'hidden sm:table-cell')}>
        <DepositStatus deposit={deposit} />
      </td>
    </tr>
  )
}

function Amount({ deposit }: { readonly deposit: Deposit }) {
  return (
    <>
      <span title={deposit.amount}>{shortDecimal(deposit.amount)}</span> {deposit.asset}
      <span className="block empty:hidden">
        <NetworkMark chainId={deposit.chainId} />
      </span>
    </>
  )
}

interface PagingProps {
  readonly search: FundSearch
  readonly hasMore: boolean
  readonly lastId: string | null
}

function Paging({ search, hasMore, lastId }: PagingProps) {
  const team = useTeam()
  const { after, ...rest } = search
  const place = {
    to: '/team/$teamId/fund',
    params: { teamId: team.id },
    resetScroll: false,
    className: textLink,
  } as const
  if (after === undefined && !hasMore) return null
  return (
    <div className="flex justify-between">
      {after === undefined ? (
        <span />
      ) : (
        <Link {...place} search={rest}>
          Newest deposits
        </Link>
      )}
      {hasMore && lastId !== null && (
        <Link {...place} search={{ ...rest, after: lastId }}>
          Older deposits
        </Link>
      )}
    </div>
  )
}
