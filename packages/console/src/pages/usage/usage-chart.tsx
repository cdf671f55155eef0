import { formatCredits, nanocreditsOf, shortDecimal, type Exact, type TeamUsageDays } from '@svc/contract'
import { clsx } from 'clsx'
import type { UsageMeasure } from '../../app/search.ts'
import { countText } from '../../ui/count-text.ts'
import { Credits } from '../../ui/credits.tsx'
import { Legend, PLOT, Scale, SlotTip, useChartSlot } from './chart-parts.tsx'
import { seriesColours } from './series-colour.ts'
import { fillDays, measuredBy, rankSeries, roundTop, type Series, type UsageDay } from './usage-series.ts'

const creditsOf = (amount: bigint): string => formatCredits(nanocreditsOf(amount))
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const dayName = (day: string): string => dayFormat.format(Date.parse(day))

/** Half of a request is none: the middle of the scale is one. */
const COUNT_MIN = 2_000_000_000n

interface UsageChartProps {
  readonly days: Exact<TeamUsageDays>
  readonly measure?: UsageMeasure
}

/** A figure by day, stacked. A day is read by pointing at it, or with the arrow keys. */
export function UsageChart({ days: given, measure = 'credits' }: UsageChartProps) {
  const days = measuredBy(given, measure)
  const series = rankSeries(days)
  const all = fillDays(days, series)
  const colours = seriesColours(series)
  const top = roundTop(all.reduce((max, { total }) => (total > max ? total : max), 0n))
  const most = measure !== 'credits' && top < COUNT_MIN ? COUNT_MIN : top
  const { at, setAt, handlers } = useChartSlot(all.length)
  const chosen = at === null ? undefined : all[at]
  return (
    <figure className="flex flex-col gap-3">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <span aria-hidden className="col-span-2 mb-2 text-[12px] text-soft">
          {measure} a day
        </span>
        <Scale most={shortDecimal(creditsOf(most))} middle={shortDecimal(creditsOf(most / 2n))} />
        <div
          role="group"
          aria-roledescription="chart"
          aria-label={`${measure.charAt(0).toUpperCase()}${measure.slice(1)} by day since ${dayName(days.first_day)}. Arrow keys go from day to day.`}
          tabIndex={0}
          {...handlers}
          className={PLOT}
        >
          <div aria-hidden className="absolute inset-0 flex items-end">
            {all.map((day, index) => (
              <div
                key={day.day}
                onPointerEnter={() => setAt(index)}
                className={clsx(
                  'flex h-full min-w-0 flex-1 flex-col-reverse items-center',
                  index === at && 'bg-text/5',
                )}
              >
                <Bar day={day} series={series} colours={colours} most={most} />
              </div>
            ))}
          </div>
          {chosen !== undefined && at !== null && (
            <Tip day={chosen} series={series} colours={colours} at={(at + 0.5) / all.length} />
          )}
        </div>
        <div aria-hidden className="col-start-2 mt-1.5 flex justify-between text-[12px] text-soft">
          <span>{dayName(days.first_day)}</span>
          <span>{dayName(days.last_day)}</span>
        </div>
      </div>
      <Legend
        entries={series.map(({ group, name, total }) => ({
          ...{ group, name },
          figure: <Credits value={creditsOf(total)} withUnit={false} />,
        }))}
        colours={colours}
      />
      <p role="status" className="sr-only">
        {chosen !== undefined && dayText(chosen, series, measure)}
      </p>
    </figure>
  )
}

function dayText({ day, total, requests, parts }: UsageDay, series: readonly Series[], measure: UsageMeasure): string {
  const named = series.flatMap(({ group, name }) => {
    const part = parts.get(group)
    return part === undefined ? [] : [`${name} ${creditsOf(part)}`]
  })
  const others = measure === 'requests' ? '' : `, ${countText(requests, 'request')}`
  return [`${dayName(day)}: ${creditsOf(total)} ${measure}${others}`, ...named].join('; ')
}

interface BarProps {
  readonly day: UsageDay
  readonly series: readonly Series[]
  readonly colours: ReadonlyMap<string, string>
  readonly most: bigint
}

function Bar({ day, series, colours, most }: BarProps) {
  return series.map(({ group }) => {
    const part = day.parts.get(group) ?? 0n
    if (part === 0n) return null
    const height = Number((part * 10_000n) / most) / 100
    return (
      <div
        key={group}
        className="w-full max-w-10 shrink-0 border-x border-transparent bg-clip-padding last:rounded-t-sm"
        style={{ height: `max(1px, ${height}%)`, backgroundColor: colours.get(group) }}
      />
    )
  })
}

interface TipProps extends Omit<BarProps, 'most'> {
  /** Where the bar is, from 0 to 1. */
  readonly at: number
}

/** All series of one day, beside its bar. */
function Tip({ day, series, colours, at }: TipProps) {
  const parts = series.filter(({ group }) => day.parts.has(group))
  return (
    <SlotTip
      at={at}
      gap={16}
      head={
        <div className="mb-1.5 flex justify-between gap-4 font-medium">
          <span>{dayName(day.day)}</span>
          <span className="figures">{shortDecimal(creditsOf(day.total))}</span>
        </div>
      }
      entries={parts.map(({ group, name }) => ({
        ...{ group, name },
        figure: shortDecimal(creditsOf(day.parts.get(group) ?? 0n)),
      }))}
      colours={colours}
    >
      <div className="mt-1 text-soft">{countText(day.requests, 'request')}</div>
    </SlotTip>
  )
}
