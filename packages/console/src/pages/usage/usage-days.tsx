import {
  formatCredits,
  nanocreditsFrom,
  nanocreditsOf,
  shortDecimal,
  type Exact,
  type teamUsageDays,
} from '@svc/contract'
import { clsx } from 'clsx'
import type { z } from 'zod'
import { Credits } from '../../ui/credits.tsx'
import { bodyRow, cell, headCell, right, table, tableFrame } from '../../ui/table.ts'
import { modelColour, OTHER_COLOUR } from './model-colour.ts'

type Days = Exact<z.output<typeof teamUsageDays>>

const LARGEST = 6
const OTHER = 'other'
const DAY_MS = 86_400_000

interface Day {
  readonly day: string
  readonly total: bigint
  readonly requests: number
  /** Nanocredits by model, with the small ones as `OTHER`. */
  readonly parts: ReadonlyMap<string, bigint>
}

/** The models that cost most, largest first, then `OTHER` where there are more. */
function rankModels({ data }: Days): readonly string[] {
  const sums = new Map<string, bigint>()
  for (const { model, credits_charged: charge } of data) {
    sums.set(model, (sums.get(model) ?? 0n) + nanocreditsFrom(charge))
  }
  const ranked = [...sums].toSorted(([, left], [, right]) => (left < right ? 1 : -1)).map(([model]) => model)
  return ranked.length <= LARGEST ? ranked : [...ranked.slice(0, LARGEST), OTHER]
}

/** Every day of the span, also those on which nothing happened. */
function daysOf(days: Days, models: readonly string[]): readonly Day[] {
  const rows = Map.groupBy(days.data, ({ day }) => day)
  const result: Day[] = []
  for (let ms = Date.parse(days.first_day); ms <= Date.parse(days.last_day); ms += DAY_MS) {
    const day = new Date(ms).toISOString().slice(0, 10)
    const parts = new Map<string, bigint>()
    let requests = 0
    for (const row of rows.get(day) ?? []) {
      const model = models.includes(row.model) ? row.model : OTHER
      parts.set(model, (parts.get(model) ?? 0n) + nanocreditsFrom(row.credits_charged))
      requests += row.requests
    }
    const total = [...parts.values()].reduce((sum, part) => sum + part, 0n)
    result.push({ day, total, requests, parts })
  }
  return result
}

const colourOf = (model: string): string => (model === OTHER ? OTHER_COLOUR : modelColour(model))
const creditsOf = (amount: bigint): string => formatCredits(nanocreditsOf(amount))

function dayText({ day, total, requests, parts }: Day): string {
  const lines = [...parts].map(([model, amount]) => `${model}: ${creditsOf(amount)}`)
  return [`${day}: ${creditsOf(total)} credits, ${requests} requests`, ...lines].join('\n')
}

/** Money by day, stacked by model. */
export function UsageChart({ days }: { readonly days: Days }) {
  const models = rankModels(days)
  const all = daysOf(days, models)
  const most = all.reduce((max, { total }) => (total > max ? total : max), 1n)
  return (
    <figure className="flex flex-col gap-3">
      <div className="flex items-end gap-3">
        <div
          role="img"
          aria-label={`Credits by day from ${days.first_day} to ${days.last_day}; the table has the figures.`}
          className="flex h-44 min-w-0 flex-1 items-end gap-px border-b border-line"
        >
          {all.map((day) => (
            <div
              key={day.day}
              title={dayText(day)}
              className="flex h-full min-w-0 flex-1 flex-col-reverse hover:bg-sunken"
            >
              {models.map((model) => {
                const part = day.parts.get(model) ?? 0n
                if (part === 0n) return null
                const height = Number((part * 10_000n) / most) / 100
                return <div key={model} style={{ height: `max(1px, ${height}%)`, background: colourOf(model) }} />
              })}
            </div>
          ))}
        </div>
      </div>
      <figcaption className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 text-[12px] text-soft">
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {models.map((model) => (
            <li key={model} className="flex items-center gap-1.5">
              <span aria-hidden className="size-2.5 rounded-sm" style={{ background: colourOf(model) }} />
              {model}
            </li>
          ))}
        </ul>
        <span className="figures">
          {days.first_day} to {days.last_day}, at most {shortDecimal(creditsOf(most))} credits a day
        </span>
      </figcaption>
    </figure>
  )
}

/** The same figures in rows: the days on which anything happened, newest first. */
export function UsageDaysTable({ days }: { readonly days: Days }) {
  const models = rankModels(days)
  const busy = daysOf(days, models).filter(({ requests }) => requests > 0)
  return (
    <div
      className={clsx(tableFrame, 'max-h-80 overflow-y-auto')}
      role="region"
      aria-label="Credits by day"
      tabIndex={0}
    >
      <table className={table}>
        <thead>
          <tr>
            <th className={headCell}>Day (UTC)</th>
            {models.map((model) => (
              <th key={model} className={clsx(headCell, right)}>
                {model}
              </th>
            ))}
            <th className={clsx(headCell, right)}>Requests</th>
            <th className={clsx(headCell, right)}>Credits</th>
          </tr>
        </thead>
        <tbody>
          {busy.toReversed().map((day) => (
            <tr key={day.day} className={bodyRow}>
              <td className={clsx(cell, 'whitespace-nowrap')}>{day.day}</td>
              {models.map((model) => (
                <td key={model} className={clsx(cell, right)}>
                  <Credits value={creditsOf(day.parts.get(model) ?? 0n)} withUnit={false} />
                </td>
              ))}
              <td className={clsx(cell, right)}>{day.requests.toLocaleString()}</td>
              <td className={clsx(cell, right, 'font-medium')}>
                <Credits value={creditsOf(day.total)} withUnit={false} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
