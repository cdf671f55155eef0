import { Legend, PLOT, Scale, SlotTip, useChartSlot } from './chart-parts.tsx'
import { seriesColours } from './series-colour.ts'
import { type Line, topOf } from './timing-series.ts'

interface LineChartProps {
  /** What it shows, and in which unit, such as `Time to the first token`. */
  readonly title: string
  readonly lines: readonly Line[]
  /** A value with its unit. */
  readonly textOf: (value: number) => string
  /** What a slot is called. */
  readonly slotName: (at: number) => string
  readonly count: number
}

const SLOW = 'slow'
const SLOW_COLOUR = 'var(--line-strong)'

/** All together have the colour of the product; what is compared has those of every page. */
function coloursOf(lines: readonly Line[]): ReadonlyMap<string, string> {
  const named = seriesColours(lines)
  const own: Readonly<Record<string, string>> = { all: 'var(--accent)', [SLOW]: SLOW_COLOUR }
  return new Map(lines.map(({ group }) => [group, own[group] ?? named.get(group) ?? SLOW_COLOUR]))
}

/** Lines over time; a slot is read by pointing at it, or with the arrow keys. Slots without requests are gaps. */
export function LineChart({ title, lines, textOf, slotName, count }: LineChartProps) {
  const { at, setAt, handlers } = useChartSlot(count)
  const top = topOf(lines)
  const colours = coloursOf(lines)
  const shown = lines.flatMap((line) => {
    const value = at === null ? null : line.points[at]
    return value === null || value === undefined ? [] : [{ ...line, value }]
  })
  return (
    <figure className="flex flex-col gap-3">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <span aria-hidden className="col-span-2 mb-2 text-[12px] text-soft">
          {title}
        </span>
        <Scale most={textOf(top)} middle={textOf(top / 2)} />
        <div
          role="group"
          aria-roledescription="chart"
          aria-label={`${title}. Arrow keys go through it.`}
          tabIndex={0}
          {...handlers}
          onPointerMove={({ clientX, currentTarget }) => {
            const { left, width } = currentTarget.getBoundingClientRect()
            setAt(Math.max(0, Math.min(count - 1, Math.floor(((clientX - left) / width) * count))))
          }}
          className={PLOT}
        >
          <Paths lines={lines} colours={colours} count={count} top={top} />
          {at !== null && (
            <div
              aria-hidden
              className="pointer-events-none absolute inset-y-0 w-px bg-line-strong"
              style={{ left: `${((at + 0.5) / count) * 100}%` }}
            />
          )}
          {at !== null && shown.length > 0 && (
            <SlotTip
              at={(at + 0.5) / count}
              gap={12}
              head={<div className="mb-1.5 font-medium">{slotName(at)}</div>}
              entries={shown.map(({ group, name, value }) => ({ group, name, figure: textOf(value) }))}
              colours={colours}
            />
          )}
        </div>
        <div aria-hidden className="col-start-2 mt-1.5 flex justify-between text-[12px] text-soft">
          <span>{slotName(0)}</span>
          <span>{slotName(count - 1)}</span>
        </div>
      </div>
      <Legend entries={lines} colours={colours} />
      <p role="status" className="sr-only">
        {at !== null && [slotName(at), ...shown.map(({ name, value }) => `${name} ${textOf(value)}`)].join('; ')}
      </p>
    </figure>
  )
}

interface ColouredProps {
  readonly lines: readonly Line[]
  readonly colours: ReadonlyMap<string, string>
}

function Paths({ lines, colours, count, top }: ColouredProps & { readonly count: number; readonly top: number }) {
  return (
    <svg aria-hidden viewBox={`0 0 ${count} 100`} preserveAspectRatio="none" className="absolute inset-0 size-full">
      {lines.map(({ group, points }) => (
        <path
          key={group}
          d={pathOf(points, top)}
          fill="none"
          stroke={colours.get(group)}
          strokeWidth={2}
          strokeLinejoin="round"
          strokeLinecap="round"
          strokeDasharray={group === SLOW ? '4 4' : undefined}
          vectorEffect="non-scaling-stroke"
        />
      ))}
    </svg>
  )
}

/** A point alone is a short line, so that it can be seen. */
function pathOf(points: readonly (number | null)[], top: number): string {
  let path = ''
  for (const [at, point] of points.entries()) {
    if (point === null) continue
    const y = 100 - (point / top) * 100
    const goesOn = at > 0 && points[at - 1] !== null && points[at - 1] !== undefined
    path += goesOn ? `L${at + 0.5} ${y}` : `M${at + 0.3} ${y}L${at + 0.5} ${y}`
    if (points[at + 1] === null || points[at + 1] === undefined) path += `L${at + 0.7} ${y}`
  }
  return path
}
