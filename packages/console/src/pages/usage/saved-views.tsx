import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useTeam } from '../../api/session.ts'
import type { UsageSearch } from '../../app/search.ts'
import { Button } from '../../ui/button.tsx'

interface View {
  readonly name: string
  readonly search: UsageSearch
}

/** Views of one team in one browser at most. */
const VIEWS_MAX = 12
const NAME_MAX = 40
const placeOf = (teamId: string): string => `svc-usage-views-${teamId}`

function readViews(teamId: string): readonly View[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(teamId)) ?? '[]')
    return Array.isArray(kept)
      ? (kept as View[]).filter(({ name }) => typeof name === 'string').slice(0, VIEWS_MAX)
      : []
  } catch {
    return []
  }
}

function keepViews(teamId: string, views: readonly View[]): void {
  try {
    localStorage.setItem(placeOf(teamId), JSON.stringify(views))
  } catch {
    // A browser that keeps nothing shows them until the page is left.
  }
}

/** Filters and charts that the person has given a name; kept in this browser. Their addresses can be sent to others. */
export function SavedViews({ search }: { readonly search: UsageSearch }) {
  const team = useTeam()
  const [views, setViews] = useState(() => readViews(team.id))
  const [name, setName] = useState<string | null>(null)
  const set = (next: readonly View[]): void => {
    keepViews(team.id, next)
    setViews(next)
  }
  const { after: _after, ...shown } = search
  const save = (): void => {
    const called = name?.trim() ?? ''
    if (called !== '')
      set([...views.filter((view) => view.name !== called), { name: called, search: shown }].slice(-VIEWS_MAX))
    setName(null)
  }
  return (
    <div className="flex flex-wrap items-center gap-2 text-[12px]">
      {views.map((view) => (
        <span key={view.name} className="flex items-center rounded border border-line bg-surface">
          <Link
            to="/team/$teamId/usage"
            params={{ teamId: team.id }}
            search={view.search}
            className="rounded py-1 pl-2.5 hover:text-accent"
          >
            {view.name}
          </Link>
          <button
            type="button"
            aria-label={`Remove the view ${view.name}`}
            onClick={() => set(views.filter((each) => each !== view))}
            className="inline-flex size-[24px] items-center justify-center rounded text-soft hover:text-text"
          >
            <X size={12} aria-hidden />
          </button>
        </span>
      ))}
      {name === null ? (
        <button type="button" className="rounded px-1 py-1 text-soft hover:text-text" onClick={() => setName('')}>
          Save this view
        </button>
      ) : (
        <form
          className="flex items-center gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            save()
          }}
        >
          <input
            aria-label="Name of the view"
            autoFocus
            value={name}
            maxLength={NAME_MAX}
            onChange={({ target }) => setName(target.value)}
            className="h-7 w-40 rounded border border-line-strong bg-control px-2"
          />
          <Button type="submit" look="secondary" className="h-7!">
            Save
          </Button>
        </form>
      )}
    </div>
  )
}
