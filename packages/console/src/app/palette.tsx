/** Finds any page, action, key, model or request by a few letters. */
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { Boxes, CircleUser, FileCheck2, KeyRound, Receipt, Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useCan, useSignedIn, useTeam } from '../api/session.ts'
import { keysQuery, modelsQuery } from '../api/team.ts'
import { useReturnFocus } from '../ui/use-return-focus.ts'
import { findEntries, type PaletteEntry, requestIdOf } from './palette-entries.ts'
import { revokeEntries, usePaletteActions } from './palette-actions.ts'
import { hrefOf } from './places.ts'
import { usePlaces } from './use-places.ts'

/** Everything that has an address, in the order of its groups. */
function useEntries(): readonly PaletteEntry[] {
  const team = useTeam()
  const shown = usePlaces()
  const keys = useQuery({ ...keysQuery(team.id), enabled: useCan('keys:own') }).data?.data ?? []
  const models = useQuery(modelsQuery).data?.data ?? []
  const base = `/team/${team.id}`
  const actions = usePaletteActions()
  return [
    ...shown.map((place) => ({
      id: `page-${place.name}`,
      group: 'Pages',
      name: place.name,
      note: '',
      icon: place.icon,
      to: { href: hrefOf(team.id, place) },
    })),
    {
      id: 'page-account',
      group: 'Pages',
      name: 'Account',
      note: 'sessions',
      to: { href: `${base}/account` },
      icon: CircleUser,
    },
    {
      id: 'page-receipt',
      group: 'Pages',
      name: 'Check a receipt',
      note: 'ledger log',
      to: { href: '/receipt' },
      icon: FileCheck2,
    },
    ...actions,
    ...keys.map(({ id, name, display, status }) => ({
      id: `key-${id}`,
      group: 'Keys',
      name,
      note: status === 'active' ? display : `${display} ${status}`,
      to: { href: `${base}/keys/${id}` },
      icon: KeyRound,
    })),
    ...models.map(({ id, name }) => ({
      id: `model-${id}`,
      group: 'Models',
      name,
      note: id,
      icon: Boxes,
      to: { href: `${base}/models/${encodeURIComponent(id)}` },
    })),
    ...revokeEntries(team.id, keys),
  ]
}

function useFound(text: string): readonly PaletteEntry[] {
  const team = useTeam()
  const entries = useEntries()
  const isOperator = useSignedIn().user.is_operator
  const requestId = requestIdOf(text)
  if (requestId === null) return findEntries(entries, text)
  const found = { group: 'Requests', note: requestId, icon: Receipt }
  const own = {
    ...found,
    id: 'request',
    name: 'Open this request',
    to: { href: `/team/${team.id}/usage/${requestId}` },
  }
  const to = { href: `/team/${team.id}/operator/requests/${requestId}` }
  // The gateway's own view comes first: an operator finds any account's request.
  return isOperator ? [{ ...found, id: 'any-request', name: 'Look up this request', to }, own] : [own]
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const returnFocus = useReturnFocus()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const found = useFound(text)
  const at = Math.min(chosen, found.length - 1)
  const listId = useId()
  const open = (entry: PaletteEntry | undefined): void => {
    if (entry === undefined) return
    onClose()
    const { to } = entry
    if ('run' in to) to.run()
    else void navigate({ href: `/console${to.href}` })
  }
  const move = (event: KeyboardEvent): void => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1 + found.length, Home: 0, End: found.length - 1 }[event.key]
    if (event.key === 'Enter') open(found[at])
    if (to !== undefined && found.length > 0) setChosen(to % found.length)
    if (to !== undefined || event.key === 'Enter') event.preventDefault()
  }
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-30 bg-[oklch(20%_0.01_220/0.45)]" />
        <Dialog.Content
          onCloseAutoFocus={returnFocus}
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden
            rounded-lg border border-line bg-raised shadow-[0_16px_48px_rgb(0_0_0/0.22)] outline-none"
        >
          <Dialog.Title className="sr-only">Find</Dialog.Title>
          <div className="flex items-center gap-2.5 border-b border-line px-4">
            <Search size={16} className="text-soft" aria-hidden />
            <input
              autoFocus
              role="combobox"
              aria-label="Find a page, action, key, model or request id"
              aria-expanded={found.length > 0}
              aria-controls={listId}
              aria-activedescendant={found[at] === undefined ? undefined : `${listId}-${found[at].id}`}
              autoComplete="off"
              spellCheck={false}
              placeholder="Page, action, key, model or request id"
              value={text}
              onChange={({ target }) => {
                setText(target.value)
                setChosen(0)
              }}
              onKeyDown={move}
              className="h-12 w-full bg-transparent outline-none placeholder:text-soft"
            />
          </div>
          <EntryList id={listId} entries={found} at={at} onOpen={open} />
          <p role="status" className="sr-only">
            {found.length === 0 ? 'Nothing found.' : `${found.length} found.`}
          </p>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface EntryListProps {
  readonly id: string
  readonly entries: readonly PaletteEntry[]
  readonly at: number
  readonly onOpen: (entry: PaletteEntry) => void
}

function EntryList({ id, entries, at, onOpen }: EntryListProps) {
  const chosen = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // New browsers return a promise here, which is no clean-up.
    chosen.current?.scrollIntoView({ block: 'nearest' })
  }, [at])
  return (
    <div id={id} role="listbox" aria-label="Found" tabIndex={-1} className="max-h-[50vh] overflow-y-auto p-1.5">
      {entries.length === 0 && <p className="px-3 py-6 text-center text-soft">Nothing has this name.</p>}
      {entries.map((entry, index) => {
        const { icon: Icon } = entry
        const isFirst = entries[index - 1]?.group !== entry.group
        return (
          <div key={entry.id} role="presentation">
            {isFirst && (
              <div aria-hidden className="px-2.5 pt-2 pb-1 text-[12px] text-soft">
                {entry.group}
              </div>
            )}
            <div
              ref={index === at ? chosen : null}
              id={`${id}-${entry.id}`}
              role="option"
              aria-selected={index === at}
              onClick={() => onOpen(entry)}
              className={clsx(
                'flex cursor-default items-center gap-2.5 rounded px-2.5 py-1.5',
                index === at ? 'bg-accent-soft' : 'hover:bg-sunken',
              )}
            >
              <Icon size={15} className="shrink-0 text-soft" aria-hidden />
              <span className="flex min-w-0 flex-1 justify-between gap-x-3 max-sm:flex-col sm:items-center">
                <span className="truncate">{entry.name}</span>{' '}
                <span className="truncate font-mono text-[12px] text-soft empty:hidden sm:shrink-0">{entry.note}</span>
              </span>
            </div>
          </div>
        )
      })}
    </div>
  )
}
