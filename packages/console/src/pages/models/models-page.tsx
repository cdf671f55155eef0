import { usePrefetchQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ComponentProps, Suspense } from 'react'
import { modelsQuery } from '../../api/team.ts'
import type { ModelsSearch, ModelSort } from '../../app/search.ts'
import { Button } from '../../ui/button.tsx'
import { lazyPart } from '../../ui/lazy-part.ts'
import { MoreRows, rowsText } from '../../ui/more-rows.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import type { CompareTray as Tray } from './compare-tray.tsx'
import { ModelFilters } from './model-filters.tsx'
import { DESCENDS, inOrder, matches } from './model-list.ts'
import { speedsQuery, useSpeeds } from './model-speed.ts'
import { ModelsTable } from './models-table.tsx'

const route = getRouteApi('/signed-in/team/$teamId/models')

/** Seen once something is compared. */
const CompareTray = lazyPart<ComponentProps<typeof Tray>>(async () => (await import('./compare-tray.tsx')).CompareTray)

/** So many fill the highest window; a search finds the rest sooner than a scroll. */
const FIRST_ROWS = 60
/** More columns than these cannot be read beside each other. Source: own choice. */
const COMPARED_MAX = 4

export function ModelsPage() {
  const search = route.useSearch()
  const { rows = FIRST_ROWS, sort: order = null } = search
  const navigate = route.useNavigate()
  usePrefetchQuery(speedsQuery)
  const { data: models } = useSuspenseQuery(modelsQuery).data
  const speeds = useSpeeds()
  const sort = order === null ? null : (order.replace(/^-/, '') as ModelSort)
  const isDown = sort !== null && order?.startsWith('-') !== DESCENDS.has(sort)
  const matching = models.filter((model) => matches(model, search))
  const found = sort === null ? matching : inOrder(matching, { sort, isDown, speeds })
  const shown = found.slice(0, rows)
  const compared = search.compare?.split(',') ?? []
  const go = (next: object): void => void navigate({ search: next as ModelsSearch, replace: true, resetScroll: false })
  const set = (change: object): void => go({ ...search, rows: undefined, ...change })
  const sortBy = (by: ModelSort): void =>
    set({ sort: sort === by && order === by ? `-${by}` : sort === by ? undefined : by })
  const compare = (id: string): void => {
    const next = compared.includes(id) ? compared.filter((each) => each !== id) : [...compared, id].slice(-COMPARED_MAX)
    go({ ...search, compare: next.length === 0 ? undefined : next.join(',') })
  }
  return (
    <Page title="Models" lead="What a key can address, and what it costs. The margin is in the prices.">
      <div className="flex flex-col gap-4">
        <ModelFilters models={models} search={search} onSet={set} />
        <p role="status" className="text-[12px] text-soft">
          {rowsText({ shown: shown.length, total: found.length, all: models.length, what: 'models' })}
        </p>
        {speeds.size > 0 && (
          <p className="-mt-3 text-[12px] text-soft">Speed and success were measured here in the last 7 days.</p>
        )}
        {found.length === 0 ? (
          <Empty
            text="No model matches these filters."
            action={
              <Button look="secondary" onClick={() => go({})}>
                Show all models
              </Button>
            }
          />
        ) : (
          <ModelsTable
            models={shown}
            speeds={speeds}
            {...{ sort, isDown, compared }}
            onSort={sortBy}
            onCompare={compare}
          />
        )}
        <MoreRows
          shown={shown.length}
          total={found.length}
          step={FIRST_ROWS}
          what="models"
          onMore={(more) => go({ ...search, rows: more })}
        />
        {compared.length > 0 && (
          <Suspense fallback={null}>
            <CompareTray
              models={models.filter(({ id }) => compared.includes(id))}
              speeds={speeds}
              onRemove={compare}
              onClear={() => go({ ...search, compare: undefined })}
            />
          </Suspense>
        )}
      </div>
    </Page>
  )
}
