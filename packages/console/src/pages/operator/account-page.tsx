import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ArrowLeft } from 'lucide-react'
import { type Account, accountQuery } from '../../api/operator.ts'
import { backLink } from '../../ui/back-link.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Credits, Usd } from '../../ui/credits.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { bodyRow, cell, headCell, right, table } from '../../ui/table.ts'
import { textLink } from '../../ui/text-link.ts'
import { Time } from '../../ui/time.tsx'
import { UsageStatus } from '../usage/usage-status.tsx'
import type { ReactNode } from 'react'
import { AccountActions } from './account-actions.tsx'
import { AccountLimits } from './account-limits.tsx'
import { AccountKeys, AccountMembers } from './account-people.tsx'
import { AccountMark } from './account-mark.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'

const route = getRouteApi('/signed-in/team/$teamId/operator/accounts/$accountId')

/** Everything about one account, and what can be done to it. */
export function OperatorAccountPage() {
  const { teamId, accountId } = route.useParams()
  const { data: account, error } = useQuery(accountQuery(accountId))
  return (
    <>
      <Link to="/team/$teamId/operator/accounts" params={{ teamId }} className={backLink}>
        <ArrowLeft size={14} aria-hidden />
        Accounts
      </Link>
      {account === undefined ? (
        <Page title="Account">
          <Failure error={error} />
          {error === null && <RowsSkeleton />}
        </Page>
      ) : (
        <Details account={account} teamId={teamId} />
      )}
    </>
  )
}

function Details({ account, teamId }: { readonly account: Account; readonly teamId: string }) {
  return (
    <Page
      title={account.name}
      lead={
        <span className="flex items-center gap-2">
          <AccountMark state={account.state} />
          <span className="min-w-0 truncate font-mono text-[12px]">{account.id}</span>
          <CopyButton text={account.id} what="the account’s id" look="quiet" className="h-6! px-1! text-[12px]" />
        </span>
      }
      actions={<AccountActions account={account} />}
    >
      <div className="flex flex-col gap-4">
        <Figures account={account} />
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Card title="Credits that came or were taken">
            <Fundings account={account} />
          </Card>
          <Card title="Last requests">
            <Requests account={account} />
          </Card>
        </div>
        <AccountLimits account={account} />
        <Card title="Members">
          <AccountMembers account={account} />
        </Card>
        <Card title="Keys">
          <AccountKeys account={account} />
        </Card>
        <p className="flex flex-wrap gap-x-6 gap-y-2">
          <Link
            to="/team/$teamId/operator/journal"
            params={{ teamId }}
            search={{ account: account.id }}
            className={textLink}
          >
            What operators did to it
          </Link>
          <Link
            to="/team/$teamId/operator/deposits"
            params={{ teamId }}
            search={{ account: account.id, state: 'all' }}
            className={textLink}
          >
            Its deposits
          </Link>
        </p>
      </div>
    </Page>
  )
}

function Figures({ account }: { readonly account: Account }) {
  const { open_requests: open } = account
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-lg border border-line bg-line md:grid-cols-4">
      <Figure name="Balance">
        <Credits value={account.credits} withUnit={false} isBalance />
        <div className="text-[12px] font-normal text-soft">
          <Usd value={account.credits} />
        </div>
      </Figure>
      <Figure name="Held for requests that run">
        <Credits value={account.credits_reserved} withUnit={false} />
      </Figure>
      <Figure name="Requests that run">
        {open.count.toLocaleString()}
        {open.oldest_at !== null && (
          <div className="text-[12px] font-normal text-soft">
            the oldest since <Time seconds={open.oldest_at} />
          </div>
        )}
      </Figure>
      <Figure name={account.closed_at === null ? 'Made' : 'Closed'}>
        <span className="font-normal">
          <Time seconds={account.closed_at ?? account.created_at} />
        </span>
      </Figure>
    </dl>
  )
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="bg-surface p-4">
      <dt className="text-[12px] text-soft">{name}</dt>
      <dd className="figures mt-1 text-[16px] leading-6 font-semibold">{children}</dd>
    </div>
  )
}

function Fundings({ account: { fundings } }: { readonly account: Account }) {
  if (fundings.length === 0) return <p className="text-soft">None yet.</p>
  return (
    <div className="overflow-x-auto" role="region" aria-label="Credits that came or were taken" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={clsx(headCell, 'pl-0')}>Why</th>
            <th className={clsx(headCell, right, 'pr-0')}>Credits</th>
          </tr>
        </thead>
        <tbody>
          {fundings.map((funding) => (
            <tr key={funding.id} className={bodyRow}>
              <td className={clsx(cell, 'pl-0 wrap-anywhere')}>
                {funding.kind}
                {funding.reason !== null && <div className="text-[12px] text-soft">{funding.reason}</div>}
                <div className="text-[12px] text-soft">
                  <Time seconds={funding.created} />
                </div>
              </td>
              <td className={clsx(cell, right, 'pr-0')}>
                <Credits value={funding.credits} withUnit={false} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Requests({ account: { requests } }: { readonly account: Account }) {
  if (requests.length === 0) return <p className="text-soft">None yet.</p>
  return (
    <div className="overflow-x-auto" role="region" aria-label="Last requests" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={clsx(headCell, 'pl-0')}>Model</th>
            <th className={headCell}>Status</th>
            <th className={clsx(headCell, right, 'pr-0')}>Charged</th>
          </tr>
        </thead>
        <tbody>
          {requests.map((request) => (
            <tr key={request.request_id} className={bodyRow} title={request.request_id}>
              <td className={clsx(cell, 'w-full max-w-0 pl-0')}>
                <div className="truncate font-mono text-[12px]" title={request.model}>
                  {request.model}
                </div>
                <div className="text-[12px] text-soft">
                  <Time seconds={request.created} />
                </div>
              </td>
              <td className={cell}>
                <UsageStatus record={request} />
              </td>
              <td className={clsx(cell, right, 'pr-0')}>
                <Credits value={request.credits_charged} withUnit={false} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
