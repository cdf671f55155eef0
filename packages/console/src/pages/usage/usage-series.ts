/** Money by day and group, ready to be drawn or listed. Amounts are exact nanocredits. */
import { nanocreditsFrom, type Exact, type TeamUsageDays } from '@svc/contract'
import type { UsageMeasure } from '../../app/search.ts'

/** Groups that are shown by themselves; the others are one. */
const LARGEST = 6
const DAY_MS = 86_400_000

/** Means all groups that are not among the largest. No group has an empty id. */
export const OTHER = ''

export interface Series {
  /** `OTHER`, or a model, a key's id, a type. */
  readonly group: string
  readonly name: string
  readonly total: bigint
}

export interface UsageDay {
  /** Such as 2026-01-31, UTC. */
  readonly day: string
  readonly total: bigint
  readonly requests: number
  /** By group. */
  readonly parts: ReadonlyMap<string, bigint>
}

/** The same days with another of their figures in place of the credits: what is drawn of these is drawn of those. */
export function measuredBy(days: Exact<TeamUsageDays>, measure: UsageMeasure): Exact<TeamUsageDays> {
  if (measure !== 'requests' && measure !== 'tokens') return days
  return { ...days, data: days.data.map((row) => ({ ...row, credits_charged: String(row[measure]) })) }
}

/** The groups that cost most, largest first; then `OTHER`, where there are more. */
export function rankSeries({ data }: Exact<TeamUsageDays>): readonly Series[] {
  const sums = new Map<string, Series>()
  for (const { group, name, credits_charged: charge } of data) {
    const known = sums.get(group)?.total ?? 0n
    sums.set(group, { group, name, total: known + nanocreditsFrom(charge) })
  }
  const ranked = [...sums.values()].toSorted((left, right) => (left.total < right.total ? 1 : -1))
  if (ranked.length <= LARGEST) return ranked
  const rest = ranked.slice(LARGEST)
  const total = rest.reduce((sum, series) => sum + series.total, 0n)
  return [
    ...ranked.slice(0, LARGEST),
    { group: OTHER, name: rest.length === 1 ? 'one other' : `${rest.length} others`, total },
  ]
}

/** Every day of the span, also those on which nothing happened. */
export function fillDays(days: Exact<TeamUsageDays>, series: readonly Series[]): readonly UsageDay[] {
  const groups = new Set(series.map(({ group }) => group))
  const rows = Map.groupBy(days.data, ({ day }) => day)
  const result: UsageDay[] = []
  for (let ms = Date.parse(days.first_day); ms <= Date.parse(days.last_day); ms += DAY_MS) {
    const day = new Date(ms).toISOString().slice(0, 10)
    const parts = new Map<string, bigint>()
    let requests = 0
    for (const row of rows.get(day) ?? []) {
      const group = groups.has(row.group) ? row.group : OTHER
      parts.set(group, (parts.get(group) ?? 0n) + nanocreditsFrom(row.credits_charged))
      requests += row.requests
    }
    const total = [...parts.values()].reduce((sum, part) => sum + part, 0n)
    result.push({ day, total, requests, parts })
  }
  return result
}

/** Tops of a scale whose half is as round as they are. */
const TOPS = [1n, 2n, 4n, 6n, 8n, 10n] as const

/** The least round amount that is not below the largest bar, so that a scale and its middle can be read. */
export function roundTop(most: bigint): bigint {
  let unit = 10n
  while (unit * 10n < most) unit *= 10n
  return TOPS.map((top) => top * unit).find((top) => top >= most) ?? unit * 10n
}

/** What the chart shows all together. */
export function sumDays({ data }: Exact<TeamUsageDays>): {
  readonly requests: number
  readonly tokens: number
  readonly credits: bigint
} {
  return {
    requests: data.reduce((sum, { requests }) => sum + requests, 0),
    tokens: data.reduce((sum, { tokens }) => sum + tokens, 0),
    credits: data.reduce((sum, { credits_charged: charge }) => sum + nanocreditsFrom(charge), 0n),
  }
}
