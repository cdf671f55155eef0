import type { Exact, TeamKey } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Ellipsis, Plus } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import { useCan, useTeam } from '../../api/session.ts'
import { keysQuery } from '../../api/team.ts'
import { Button, buttonLook } from '../../ui/button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { menuItem } from '../../ui/menu.ts'
import { MenuContent } from '../../ui/menu-content.tsx'
import { LastUsed } from '../../ui/last-used.tsx'
import { rateText } from '../../ui/limit-text.ts'
import { Empty, Page } from '../../ui/page.tsx'
import { bodyRow, cell, headCell, restCell, right, table, tableFrame } from '../../ui/table.ts'
import { quietLink, textLink } from '../../ui/text-link.ts'
import { Time } from '../../ui/time.tsx'
import { RevokeKeyDialog, RotateKeyDialog } from './end-key-dialogs.tsx'
import { KeyBudget, PERIOD_TEXTS } from './key-budget.tsx'
import { RotateMark } from './key-holder.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'

const route = getRouteApi('/signed-in/team/$teamId/keys')

const STATES = [
  { state: 'active', text: 'Keys in use', search: {} },
  { state: 'ended', text: 'Ended keys', search: { ended: true } },
  { state: 'playground', text: 'Playground keys', search: { played: true } },
] as const

const LEAD = 'What programs sign in with, and what each may spend.'
const PLAYED_LEAD = 'What the playground pays with: a key for each sign-in, which ends within half an hour.'

export function KeysPage() {
  const team = useTeam()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const state = search.played === true ? 'playground' : search.ended === true ? 'ended' : 'active'
  const place = search.after === undefined ? {} : { after: search.after }
  const query = keysQuery(team.id, { state, ...place })
  const { data: keys, has_more: hasMore } = useSuspenseQuery(query).data
  const seesAll = useCan('keys:all')
  const setMaking = (isOpen: boolean): void => {
    const { make: _make, ...rest } = search
    void navigate({ search: isOpen ? { ...rest, make: true } : rest, replace: true })
  }
  const newButton = (
    <Button onClick={() => setMaking(true)}>
      <Plus size={16} aria-hidden />
      New key
    </Button>
  )
  return (
    <Page
      title="Keys"
      lead={state === 'playground' ? PLAYED_LEAD : seesAll ? LEAD : 'The keys that you have made.'}
      actions={newButton}
    >
      {keys.length > 0 && <KeyTable keys={keys} seesAll={seesAll} />}
      {keys.length === 0 && state === 'ended' && (
        <Empty
          text="No key has ended."
          action={
            <Link to="/team/$teamId/keys" params={{ teamId: team.id }} className={buttonLook('secondary')}>
              Show the keys in use
            </Link>
          }
        />
      )}
      {keys.length === 0 && state === 'playground' && (
        <Empty
          text="The playground has made no key yet."
          action={
            <Link to="/team/$teamId/playground" params={{ teamId: team.id }} className={buttonLook('secondary')}>
              Open the playground
            </Link>
          }
        />
      )}
      {keys.length === 0 && state === 'active' && (
        <Empty text="There is no key in use. Make one for the first program." action={newButton} />
      )}
      <div className="mt-3 flex justify-between gap-3">
        <div className="flex flex-wrap gap-x-4">
          {STATES.filter((each) => each.state !== state).map((each) => (
            <Link
              key={each.state}
              to="/team/$teamId/keys"
              params={{ teamId: team.id }}
              search={each.search}
              className={quietLink}
            >
              {each.text}
            </Link>
          ))}
        </div>
        {hasMore && (
          <Link
            to="/team/$teamId/keys"
            params={{ teamId: team.id }}
            search={{ ...search, after: keys.at(-1)?.id ?? '' }}
            className={textLink}
          >
            Older keys
          </Link>
        )}
      </div>
      {search.make === true && <NewKeyDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}

function KeyTable({ keys, seesAll }: { readonly keys: readonly Exact<TeamKey>[]; readonly seesAll: boolean }) {
  return (
    <div className={tableFrame} role="region" aria-label="Keys" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={headCell}>Name</th>
            <th className={clsx(headCell, right)}>Spent</th>
            <th className={clsx(headCell, right, 'hidden sm:table-cell')}>Budget</th>
            <th className={clsx(headCell, 'hidden md:table-cell')}>Models</th>
            <th className={clsx(headCell, 'hidden lg:table-cell')}>Ends</th>
            <th className={clsx(headCell, 'hidden md:table-cell')}>Last used</th>
            {seesAll && <th className={clsx(headCell, 'hidden lg:table-cell')}>Made by</th>}
            <th className={headCell}>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <KeyRow key={key.id} target={key} seesAll={seesAll} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function KeyRow({ target, seesAll }: { readonly target: Exact<TeamKey>; readonly seesAll: boolean }) {
  const team = useTeam()
  const isActive = target.status === 'active'
  return (
    <tr className={clsx(bodyRow, 'relative', !isActive && 'text-soft')}>
      <td className={clsx(restCell, 'sm:min-w-44')}>
        <Link
          to="/team/$teamId/keys/$keyId"
          params={{ teamId: team.id, keyId: target.id }}
          className={clsx('font-medium break-words after:absolute after:inset-0', !isActive && 'line-through')}
        >
          {target.name}
        </Link>
        {!isActive && <span className="ml-2 rounded bg-sunken px-1.5 text-[12px]">{target.status}</span>}
        <div className="font-mono text-[12px] text-soft">{target.display}</div>
        {isActive && <RotateMark target={target} />}
        {target.requests_per_minute !== null && (
          <div className="text-[12px] text-soft">{rateText(target.requests_per_minute_in_force)}</div>
        )}
        {target.budget_credits !== null && (
          <div className="text-[12px] text-soft sm:hidden">
            of <Credits value={target.budget_credits} withUnit={false} /> {PERIOD_TEXTS[target.budget_period]}
          </div>
        )}
      </td>
      <td className={clsx(cell, right)}>
        <Credits value={target.budget_used} withUnit={false} />
      </td>
      <td className={clsx(cell, right, 'hidden sm:table-cell')}>
        <KeyBudget target={target} />
      </td>
      <td className={clsx(cell, 'hidden max-w-52 truncate md:table-cell')} title={target.models?.join('\n')}>
        {target.models === null ? <span className="text-soft">all</span> : modelsText(target.models)}
      </td>
      <td className={clsx(cell, 'hidden lg:table-cell')}>
        {target.expires_at === null ? <span className="text-soft">never</span> : <Time seconds={target.expires_at} />}
      </td>
      <td className={clsx(cell, 'hidden whitespace-nowrap md:table-cell')}>
        <LastUsed seconds={target.last_used_at} />
      </td>
      {seesAll && (
        <td className={clsx(cell, 'hidden max-w-40 truncate lg:table-cell')} title={target.made_by?.name}>
          {target.made_by === null ? <span className="text-soft">operator</span> : target.made_by.name}
          {target.kind === 'service' && target.made_by !== null && <span className="text-soft">, for the team</span>}
        </td>
      )}
      <td className={clsx(cell, right)}>{isActive && <KeyMenu target={target} />}</td>
    </tr>
  )
}

function modelsText([first = '', ...rest]: readonly string[]): string {
  return rest.length === 0 ? first : `${first} and ${rest.length} more`
}

function KeyMenu({ target }: { readonly target: Exact<TeamKey> }) {
  const [open, setOpen] = useState<'revoke' | 'rotate' | null>(null)
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          className="relative z-[1] -my-1 inline-flex rounded p-1.5 align-middle text-soft
            hover:bg-sunken hover:text-text"
          aria-label={`Actions for ${target.name}`}
        >
          <Ellipsis size={16} aria-hidden />
        </DropdownMenu.Trigger>
        <MenuContent align="end">
          {!target.is_playground && (
            <DropdownMenu.Item className={menuItem} onSelect={() => setOpen('rotate')}>
              Replace by a new key
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Item className={clsx(menuItem, 'text-danger')} onSelect={() => setOpen('revoke')}>
            Revoke
          </DropdownMenu.Item>
        </MenuContent>
      </DropdownMenu.Root>
      {open === 'revoke' && <RevokeKeyDialog target={target} onClose={() => setOpen(null)} />}
      {open === 'rotate' && <RotateKeyDialog target={target} onClose={() => setOpen(null)} />}
    </>
  )
}
