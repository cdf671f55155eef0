import { Link } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useTeam } from '../../api/session.ts'
import type { ModelSort } from '../../app/search.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Credits, Usd } from '../../ui/credits.tsx'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'
import { TrainingMark } from '../../ui/training-mark.tsx'
import { contextText, Modalities } from './modalities.tsx'
import { type Model, secondsText, shareText, type Speed, unitPriceOf } from './model-list.ts'
import { ConfidentialMark } from './prompt-use.tsx'

interface Sorting {
  readonly sort: ModelSort | null
  readonly isDown: boolean
  readonly onSort: (sort: ModelSort) => void
}

interface ModelsTableProps extends Sorting {
  readonly models: readonly Model[]
  readonly speeds: ReadonlyMap<string, Speed>
  /** Ids of the models that are compared. */
  readonly compared: readonly string[]
  readonly onCompare: (id: string) => void
}

/** Prices and what was measured, a row for each model. Columns are put in order by their heads. */
export function ModelsTable({ models, speeds, compared, onCompare, ...sorting }: ModelsTableProps) {
  const isMeasured = speeds.size > 0
  return (
    <div className={tableFrame} role="region" aria-label="Models" tabIndex={0}>
      <table className={table}>
        <thead>
          <tr>
            <SortHead {...sorting} by="name" text="Model" />
            <th className={clsx(headCell, right, 'sm:hidden')}>Price</th>
            <SortHead {...sorting} by="input" text="Input per 1M" className="max-sm:hidden" isRight />
            <SortHead {...sorting} by="output" text="Output per 1M" className="max-sm:hidden" isRight />
            <SortHead {...sorting} by="context" text="Context" className="hidden md:table-cell" isRight />
            {isMeasured && (
              <>
                <SortHead {...sorting} by="speed" text="Speed" className="hidden xl:table-cell" isRight />
                <SortHead {...sorting} by="first" text="First token" className="hidden xl:table-cell" isRight />
                <SortHead {...sorting} by="success" text="Success" className="hidden lg:table-cell" isRight />
              </>
            )}
            <th className={clsx(headCell, 'hidden lg:table-cell')}>Takes</th>
            <SortHead {...sorting} by="newest" text="Added" className="hidden 2xl:table-cell" isRight />
            <th className={clsx(headCell, right, 'pl-0')}>
              <span className="max-sm:sr-only">Compare</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <ModelRow
              key={model.id}
              model={model}
              speed={isMeasured ? (speeds.get(model.id) ?? null) : undefined}
              isCompared={compared.includes(model.id)}
              onCompare={onCompare}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface SortHeadProps extends Sorting {
  readonly by: ModelSort
  readonly text: string
  readonly className?: string
  readonly isRight?: boolean
}

function SortHead({ by, text, sort, isDown, onSort, className, isRight = false }: SortHeadProps) {
  const isSorted = sort === by
  const Arrow = isDown ? ArrowDown : ArrowUp
  return (
    <th
      aria-sort={isSorted ? (isDown ? 'descending' : 'ascending') : undefined}
      className={clsx(headCell, isRight && right, 'py-0!', className)}
    >
      <button
        type="button"
        onClick={() => onSort(by)}
        className={clsx(
          'inline-flex items-center gap-1 py-2 hover:text-text',
          isSorted && 'text-text',
          isRight && 'flex-row-reverse',
        )}
      >
        {text}
        <Arrow size={12} aria-hidden className={isSorted ? '' : 'invisible'} />
      </button>
    </th>
  )
}

interface ModelRowProps {
  readonly model: Model
  /** Null where nothing was measured; undefined where the table has no such columns. */
  readonly speed: Speed | null | undefined
  readonly isCompared: boolean
  readonly onCompare: (id: string) => void
}

function ModelRow({ model, speed, isCompared, onCompare }: ModelRowProps) {
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
      <Prices model={model} />
      <td
        className={clsx(cell, right, 'hidden whitespace-nowrap md:table-cell')}
        title={model.context_length?.toLocaleString()}
      >
        {contextText(model.context_length)}
      </td>
      {speed !== undefined && <Measured speed={speed} />}
      <td className={clsx(cell, 'hidden lg:table-cell')}>
        <Modalities kinds={architecture.input_modalities} />
      </td>
      <td className={clsx(cell, right, 'hidden whitespace-nowrap text-soft 2xl:table-cell')}>
        {model.created === 0
          ? ''
          : new Date(model.created * 1_000).toLocaleDateString(undefined, { dateStyle: 'medium' })}
      </td>
      <td className={clsx(cell, right, 'pl-0')}>
        <label
          className="relative z-[1] inline-flex size-[24px] cursor-pointer items-center justify-center"
          title="Compare"
        >
          <input
            type="checkbox"
            checked={isCompared}
            onChange={() => onCompare(model.id)}
            aria-label={`Compare ${model.name}`}
            className="size-4 accent-(--accent)"
          />
        </label>
      </td>
    </tr>
  )
}

/** Of tokens by the million; of media by what they are sold by, over both columns. */
function Prices({ model }: { readonly model: Model }) {
  const { svc } = model
  const unit = unitPriceOf(model)
  const { credits_per_1m_input: input, credits_per_1m_output: output } = svc
  const tokens = [
    { value: input, what: 'in' },
    { value: output, what: 'out' },
  ]
  const perUnit = unit !== null && (
    <span className="whitespace-nowrap">
      <Credits value={unit.credits} withUnit={false} />
      <span className="text-soft"> per {unit.per}</span>
      <span className="block text-[12px] text-soft">
        <Usd value={unit.credits} />
      </span>
    </span>
  )
  return (
    <>
      <td className={clsx(cell, right, 'whitespace-nowrap sm:hidden')}>
        {tokens.map(
          ({ value, what }) =>
            value !== null && (
              <div key={what}>
                <Credits value={value} withUnit={false} />
                <span className="ml-1 inline-block min-w-6 text-left text-[12px] text-soft">{what}</span>
              </div>
            ),
        )}
        {perUnit}
      </td>
      {input === null && output === null ? (
        <td colSpan={2} className={clsx(cell, right, 'max-sm:hidden')}>
          {perUnit}
        </td>
      ) : (
        tokens.map(({ value, what }) => (
          <td key={what} className={clsx(cell, right, 'max-sm:hidden')}>
            {value !== null && (
              <>
                <Credits value={value} withUnit={false} />
                <div className="text-[12px] text-soft">
                  <Usd value={value} />
                </div>
              </>
            )}
            {what === 'out' && unit !== null && <div className="text-[12px] text-soft">{perUnit}</div>}
          </td>
        ))
      )}
    </>
  )
}

function Measured({ speed }: { readonly speed: Speed | null }) {
  return (
    <>
      <td className={clsx(cell, right, 'hidden whitespace-nowrap xl:table-cell')}>
        {speed !== null && speed.tokens_per_second !== null && (
          <>
            {Math.round(speed.tokens_per_second)} <span className="text-[12px] text-soft">tokens/s</span>
          </>
        )}
      </td>
      <td className={clsx(cell, right, 'hidden whitespace-nowrap xl:table-cell')}>
        {speed !== null && secondsText(speed.first_content_ms)}
      </td>
      <td className={clsx(cell, right, 'hidden whitespace-nowrap lg:table-cell')}>
        {speed !== null && shareText(speed.success_rate)}
      </td>
    </>
  )
}
