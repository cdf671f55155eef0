import { accountStates, type Exact, type OperatorAccount } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useEffect, useState } from 'react'
import { accountsQuery } from '../../api/operator.ts'
import type { AccountsSearch } from '../../app/operator-search.ts'
import { Credits } from '../../ui/credits.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'
import { Time } from '../../ui/time.tsx'
import { AccountMark } from './account-mark.tsx'
import { Paging } from './paging.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'

const route = getRouteApi('/signed-in/team/$teamId/operator/accounts')

/** Typing waits so long for the next letter, in milliseconds. */
const TYPING_MS = 250

export function AccountsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { data, error } = useQuery(accountsQuery(search))
  const isFiltered = search.q !== undefined || search.state !== undefined
  return (
    <Page title="Accounts" lead="All accounts that hold credits here.">
      <div className="flex flex-col gap-4">
        <Filters search={search} />
        <Failure error={error} />
        {data === undefined && error === null && <RowsSkeleton />}
        {data?.data.length === 0 && (
          <Empty
            text={isFiltered ? 'No account matches this search.' : 'There is no account yet.'}
            action={
              isFiltered && (
                <Button look="secondary" onClick={() => void navigate({ search: {}, replace: true })}>
                  Show all accounts
                </Button>
              )
            }
          />
        )}
        {data !== undefined && data.data.length > 0 && <AccountTable accounts={data.data} />}
        <Paging
          after={search.after}
          next={data?.has_more === true ? data.data.at(-1)?.id : undefined}
          what="accounts"
        />
      </div>
    </Page>
  )
}

function Filters({ search }: { readonly search: AccountsSearch }) {
  const navigate = route.useNavigate()
  const [text, setText] = useState(search.q ?? '')
  const { state } = search
  const go = (next: AccountsSearch): void => void navigate({ search: next, replace: true, resetScroll: false })
  useEffect(() => {
    if (text.trim() === (search.q ?? '')) return undefined
    const typed = text.trim()
    const next = { ...(typed === '' ? {} : { q: typed }), ...(state === undefined ? {} : { state }) }
    const timer = setTimeout(() => go(next), TYPING_MS)
    return () => clearTimeout(timer)
  })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_9rem] gap-3 sm:max-w-2xl">
      <TextField
        label="Search"
        type="search"
        value={text}
        maxLength={200}
        placeholder="name, member, id of account, team or key"
        onChange={(event) => setText(event.target.value)}
      />
      <SelectField
        label="State"
        value={state ?? ''}
        options={[{ value: '', text: 'All' }, ...accountStates.map((each) => ({ value: each, text: each }))]}
        onPick={(picked) => {
          const found = accountStates.find((each) => each === picked)
          go({ ...(search.q === undefined ? {} : { q: search.q }), ...(found === undefined ? {} : { state: found }) })
        }}
      />
    </div>
  )
}

function AccountTable({ accounts }: { readonly accounts: readonly Exact<OperatorAccount>[] }) {
  const { teamId } = route.useParams()
  return (
    <div className={tableFrame} role="region" aria-label="Accounts" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={headCell}>Account</th>
            <th className={headCell}>State</th>
            <th className={clsx(headCell, right)}>Credits</th>
            <th className={clsx(headCell, right, 'hidden sm:table-cell')}>Held</th>
            <th className={clsx(headCell, 'hidden md:table-cell')}>Made</th>
          </tr>
        </thead>
        <tbody>
          {accounts.map((account) => (
            <tr key={account.id} className={clsx(bodyRow, 'relative')}>
              <td className={clsx(cell, 'max-w-0 w-full')}>
                <Link
                  to="/team/$teamId/operator/accounts/$accountId"
                  params={{ teamId, accountId: account.id }}
                  className="block truncate font-medium after:absolute after:inset-0"
                >
                  {account.name}
                </Link>
                <div className="truncate font-mono text-[12px] text-soft">{account.id}</div>
              </td>
              <td className={cell}>
                <AccountMark state={account.state} />
              </td>
              <td className={clsx(cell, right)}>
                <Credits value={account.credits} withUnit={false} isBalance />
              </td>
              <td className={clsx(cell, right, 'hidden sm:table-cell')}>
                <Credits value={account.credits_reserved} withUnit={false} />
              </td>
              <td className={clsx(cell, 'hidden whitespace-nowrap md:table-cell')}>
                <Time seconds={account.created_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
