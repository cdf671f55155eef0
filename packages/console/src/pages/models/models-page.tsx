import { type Exact, modelTypes, type ModelEntry } from '@svc/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { useTeam } from '../../api/session.ts'
import { modelsQuery } from '../../api/team.ts'
import { type ModelsSearch, trainingFilters } from '../../app/search.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Credits, Usd } from '../../ui/credits.tsx'
import { TextField } from '../../ui/field.tsx'
import { MoreRows, rowsText } from '../../ui/more-rows.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'
import { TrainingMark, trainingText } from '../../ui/training-mark.tsx'
import { contextText, Modalities } from './modalities.tsx'
import { ConfidentialMark } from './prompt-use.tsx'

const route = getRouteApi('/signed-in/team/$teamId/models')

type Model = Exact<ModelEntry>

interface Filters {
  readonly q: string
  readonly type: string
  readonly training: string
}

const NO_FILTERS: Filters = { q: '', type: '', training: '' }

const trainingOptions = [
  { value: '', text: 'All' },
  ...trainingFilters.map((value) => ({ value, text: trainingText(value === 'unknown' ? null : value) })),
]

function matches(model: Model, { q, type, training }: Filters): boolean {
  const text = `${model.id} ${model.name} ${model.svc.aliases.join(' ')}`.toLowerCase()
  return (
    (type === '' || model.svc.type === type) &&
    (training === '' || (model.svc.prompt_training ?? 'unknown') === training) &&
    q
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  )
}

export function ModelsPage() {
  const { rows = FIRST_ROWS, ...search } = route.useSearch()
  const filters = { ...NO_FILTERS, ...search }
  const navigate = route.useNavigate()
  const { data: models } = useSuspenseQuery(modelsQuery).data
  const found = models.filter((model) => matches(model, filters))
  const shown = found.slice(0, rows)
  const go = (next: ModelsSearch): void => void navigate({ search: next, replace: true, resetScroll: false })
  const set = (change: Partial<Filters>): void =>
    go(Object.fromEntries(Object.entries({ ...filters, ...change }).filter(([, value]) => value !== '')))
  return (
    <Page title="Models" lead="What a key can address, and what it costs. The margin is in the prices.">
      <div className="flex flex-col gap-4">
        <div className="grid grid-cols-2 gap-3 sm:max-w-2xl sm:grid-cols-[minmax(0,1fr)_9rem_13rem]">
          <div className="col-span-2 sm:col-span-1">
            <TextField
              label="Search"
              type="search"
              value={filters.q}
              placeholder="gpt, claude, flux …"
              onChange={(event) => set({ q: event.target.value })}
            />
          </div>
          <SelectField
            label="Kind"
            value={filters.type}
            options={[{ value: '', text: 'All kinds' }, ...modelTypes.map((kind) => ({ value: kind, text: kind }))]}
            onPick={(type) => set({ type })}
          />
          <SelectField
            label="Prompts"
            value={filters.training}
            options={trainingOptions}
            onPick={(training) => set({ training })}
          />
        </div>
        <p role="status" className="text-[12px] text-soft">
          {rowsText({ shown: shown.length, total: found.length, all: models.length, what: 'models' })}
        </p>
        {found.length === 0 ? (
          <Empty
            text="No model matches this search."
            action={
              <Button look="secondary" onClick={() => set(NO_FILTERS)}>
                Show all models
              </Button>
            }
          />
        ) : (
          <ModelTable models={shown} />
        )}
        <MoreRows
          shown={shown.length}
          total={found.length}
          step={FIRST_ROWS}
          what="models"
          onMore={(more) => go({ ...search, rows: more })}
        />
      </div>
    </Page>
  )
}

/** So many fill the highest window; a search finds the rest sooner than a scroll. */
const FIRST_ROWS = 60

function ModelTable({ models }: { readonly models: readonly Model[] }) {
  return (
    <div className={tableFrame} role="region" aria-label="Models" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <th className={headCell}>Model</th>
            <th className={clsx(headCell, right, 'sm:hidden')}>Per 1M</th>
            <th className={clsx(headCell, right, 'max-sm:hidden')}>Input per 1M</th>
            <th className={clsx(headCell, right, 'max-sm:hidden')}>Output per 1M</th>
            <th className={clsx(headCell, right, 'max-sm:hidden')}>Per unit</th>
            <th className={clsx(headCell, right, 'hidden md:table-cell')}>Context</th>
            <th className={clsx(headCell, 'hidden lg:table-cell')}>Takes</th>
            <th className={clsx(headCell, 'hidden lg:table-cell')}>Gives</th>
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <ModelRow key={model.id} model={model} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ModelRow({ model }: { readonly model: Model }) {
  const team = useTeam()
  const { svc, architecture } = model
  return (
    <tr className={clsx(bodyRow, 'group relative')}>
      <td className={clsx(cell, 'w-full max-w-0 sm:min-w-56')}>
        <div className="flex flex-wrap items-center gap-x-2">
          <Link
            to="/team/$teamId/models/$modelId"
            params={{ teamId: team.id, modelId: model.id }}
            data-row
            className="font-medium after:absolute after:inset-0"
          >
            {model.name}
          </Link>
          {svc.confidential && <ConfidentialMark />}
          {svc.prompt_training !== null && <TrainingMark training={svc.prompt_training} />}
          {svc.featured && (
            <span className="rounded bg-accent-soft max-sm:hidden px-1.5 text-[12px] text-accent">featured</span>
          )}
        </div>
        <div className="flex items-center gap-1">
          <span className="truncate font-mono text-[12px] text-soft" title={model.id}>
            {model.id}
            {svc.alias_for !== null && <span className="hidden lg:inline"> → {svc.alias_for}</span>}
          </span>
          <CopyButton
            text={model.id}
            what={model.id}
            look="quiet"
            className={clsx(
              'relative z-[1] -my-1 hidden! h-[24px]! min-w-[24px] px-1! text-[12px] opacity-0 sm:inline-flex!',
              'group-hover:opacity-100 focus-visible:opacity-100',
            )}
          />
        </div>
      </td>
      <AllPrices model={model} />
      <Price value={svc.credits_per_1m_input} />
      <Price value={svc.credits_per_1m_output} />
      <Price value={svc.credits_per_unit} unit={svc.unit} />
      <td
        className={clsx(cell, right, 'hidden whitespace-nowrap md:table-cell')}
        title={model.context_length?.toLocaleString()}
      >
        {contextText(model.context_length)}
      </td>
      <td className={clsx(cell, 'hidden lg:table-cell')}>
        <Modalities kinds={architecture.input_modalities} />
      </td>
      <td className={clsx(cell, 'hidden lg:table-cell')}>
        <Modalities kinds={architecture.output_modalities} />
      </td>
    </tr>
  )
}

/** What a phone has room for: every price of a model in one cell. */
function AllPrices({ model: { svc } }: { readonly model: Model }) {
  const prices = [
    { value: svc.credits_per_1m_input, what: 'in' },
    { value: svc.credits_per_1m_output, what: 'out' },
    { value: svc.credits_per_unit, what: `each ${svc.unit ?? ''}` },
  ]
  return (
    <td className={clsx(cell, right, 'whitespace-nowrap sm:hidden')}>
      {prices.map(
        ({ value, what }) =>
          value !== null && (
            <div key={what}>
              <Credits value={value} withUnit={false} />
              <span className="ml-1 inline-block min-w-6 text-left text-[12px] text-soft">{what}</span>
            </div>
          ),
      )}
    </td>
  )
}

function Price({ value, unit = null }: { readonly value: string | null; readonly unit?: string | null }) {
  return (
    <td className={clsx(cell, right, 'max-sm:hidden')}>
      {value !== null && (
        <>
          <Credits value={value} withUnit={false} />
          <div className="text-[12px] text-soft">
            <Usd value={value} />
          </div>
          {unit !== null && <div className="text-[12px] text-soft">each {unit}</div>}
        </>
      )}
    </td>
  )
}
