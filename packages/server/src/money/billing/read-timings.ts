/** How fast models were and how often they answered: of all requests, and of a team's. */
import {
  type ModelSpeeds,
  type ModelSpeedsQuery,
  type TeamTimings,
  type TeamTimingsQuery,
  TIMING_SLOTS_MAX,
} from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { scopeOf, type UsageReach } from './read-team-usage.ts'
import { quantileOf, type TimingMeasure } from './timing-buckets.ts'
import type { TimingStore, TimingSum } from './timing-store.ts'
import type { UsageStore } from './usage-store.ts'

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
/** Fewer requests would say what one customer does. Source: own choice. */
const REQUESTS_MIN = 5
/** How long an answer is given again: many people look at the same models. */
const KEPT_MS = 60_000
/** One of twenty requests is slower. */
const SLOW = 0.95

/** What became of some requests, and how long they took. */
interface Figures {
  readonly requests: number
  readonly failed: number
  readonly refused: number
  quantile(measure: TimingMeasure, share: number): number | null
}

function figuresOf(sums: readonly TimingSum[]): Figures {
  const buckets = new Map<TimingMeasure, Map<number, number>>()
  for (const { measure, bucket, requests } of sums) {
    const known = buckets.get(measure) ?? new Map<number, number>()
    buckets.set(measure, known.set(bucket, (known.get(bucket) ?? 0) + requests))
  }
  const count = (measure: TimingMeasure): number => buckets.get(measure)?.get(0) ?? 0
  const [ok, failed, refused] = [count('ok'), count('failed'), count('refused')]
  return {
    ...{ requests: ok + failed + refused, failed, refused },
    quantile: (measure, share) => quantileOf(buckets.get(measure) ?? new Map(), share),
  }
}

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value))
const tenths = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10)
const dateOf = (hour: number): string => new Date(hour * HOUR_MS).toISOString().slice(0, 10)

/** What the caller asked for in the wrong way says nothing of the model. */
function successOf({ requests, failed, refused }: Figures): number | null {
  const tried = requests - refused
  return tried === 0 ? null : Math.round((1 - failed / tried) * 10_000) / 10_000
}

export interface ModelSpeedReader {
  read(query: ModelSpeedsQuery, now: number): Promise<ModelSpeeds>
}

/** Reads the speeds of models; what was read is given again for a minute. */
export function createModelSpeedReader(store: Pick<TimingStore, 'sumModels'>): ModelSpeedReader {
  const kept = new Map<number, { readonly at: number; readonly speeds: Promise<ModelSpeeds> }>()
  return {
    read({ days }, now) {
      const known = kept.get(days)
      if (known !== undefined && now - known.at >= 0 && now - known.at < KEPT_MS) return known.speeds
      const speeds = readModelSpeeds(store, days, now)
      kept.set(days, { at: now, speeds })
      speeds.catch(() => kept.delete(days))
      return speeds
    },
  }
}

async function readModelSpeeds(store: Pick<TimingStore, 'sumModels'>, days: number, now: number): Promise<ModelSpeeds> {
  const today = Math.floor(now / HOUR_MS / DAY_HOURS)
  const from = (today - days + 1) * DAY_HOURS
  const span = { from, to: (today + 1) * DAY_HOURS, step: DAY_HOURS }
  const models = Map.groupBy(await store.sumModels(span), ({ group }) => group)
  const data = [...models].flatMap(([model, sums]) => {
    const figures = figuresOf(sums)
    const rate = successOf(figures)
    if (rate === null || figures.requests - figures.refused < REQUESTS_MIN) return []
    const slots = Map.groupBy(sums, ({ slot }) => slot)
    return [
      {
        model,
        first_content_ms: rounded(figures.quantile('first_content', 0.5)),
        duration_ms: rounded(figures.quantile('duration', 0.5)),
        tokens_per_second: tenths(figures.quantile('speed', 0.5)),
        success_rate: rate,
        days: Array.from({ length: days }, (_, at) => successOf(figuresOf(slots.get(from + at * DAY_HOURS) ?? []))),
      },
    ]
  })
  data.sort((one, other) => (one.model < other.model ? -1 : 1))
  return { first_day: dateOf(from), last_day: dateOf(today * DAY_HOURS), data }
}

export interface ReadTimingsDeps {
  readonly store: TimingStore
  readonly names: Pick<UsageStore, 'nameKeys'>
}

/** @throws {ServiceError} `invalid_value` where `from` is not before `to`, or there would be too many slots. */
export async function listTeamTimings(
  deps: ReadTimingsDeps,
  reach: UsageReach,
  { from, to, step, by, model, key }: TeamTimingsQuery,
): Promise<TeamTimings> {
  const hours = step === 'day' ? DAY_HOURS : 1
  const span = { from: Math.floor(from / 3_600), to: Math.ceil(to / 3_600), step: hours }
  if (from >= to) throw new ServiceError('invalid_value', 'from must be before to.', { param: 'from' })
  if ((span.to - span.from) / hours > TIMING_SLOTS_MAX) {
    const message = `At most ${TIMING_SLOTS_MAX} slots are answered at once: ask for a shorter time, or for days.`
    throw new ServiceError('invalid_value', message, { param: 'from' })
  }
  const sums = await deps.store.sumKeys(scopeOf(reach, key), span, by === 'key' ? 'key' : 'model', model)
  const grouped = by === 'all' ? sums.map((sum) => ({ ...sum, group: 'all' })) : sums
  const names =
    by === 'key' ? await deps.names.nameKeys([...new Set(sums.map(({ group }) => group))]) : new Map<string, string>()
  const cells = Map.groupBy(grouped, ({ slot, group }) => `${slot} ${group}`)
  const data = [...cells.values()].flatMap((cell) => {
    const [first] = cell
    return first === undefined ? [] : [rowOf(first, names.get(first.group) ?? first.group, figuresOf(cell))]
  })
  return { data: data.toSorted((one, other) => one.start - other.start || (one.group < other.group ? -1 : 1)) }
}

function rowOf({ slot, group }: TimingSum, name: string, figures: Figures): TeamTimings['data'][number] {
  const { requests, failed, refused } = figures
  const spreadOf = (measure: TimingMeasure) => {
    const [median, slow] = [rounded(figures.quantile(measure, 0.5)), rounded(figures.quantile(measure, SLOW))]
    return median === null || slow === null ? null : { median, slow }
  }
  return {
    ...{ start: slot * 3_600, group, name, requests, failed, refused },
    first_content_ms: spreadOf('first_content'),
    duration_ms: spreadOf('duration'),
    tokens_per_second: tenths(figures.quantile('speed', 0.5)),
  }
}
