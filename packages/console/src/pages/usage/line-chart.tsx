import { type KeyboardEvent, useState } from 'react'
import { seriesColours } from './series-colour.ts'
import { type Line, topOf } from './timing-series.ts'
import { Swatch } from './usage-chart.tsx'

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

function nextSlot(key: string, at: number | null, count: number): number | null | undefined {
  const steps: Readonly<Record<string, number | null>> = {
    ArrowLeft: Math.max(0, (at ?? count) - 1),
    ArrowRight: Math.min(count - 1, (at ?? -1) + 1),
    Home: 0,
    End: count - 1,
    Escape: null,
  }
  return steps[key]
}

/** Lines over time; a slot is read by pointing at it, or with the arrow keys. Slots without requests are gaps. */
export function LineChart({ title, lines, textOf, slotName, count }: LineChartProps) {
  const [at, setAt] = useState<number | null>(null)
  const top = topOf(lines)
  const colours = coloursOf(lines)
  const shown = lines.flatMap((line) => {
    const value = at === null ? null : line.points[at]
    return value === null || value === undefined ? [] : [{ ...line, value }]
  })
  const move = (event: KeyboardEvent): void => {
    const to = nextSlot(event.key, at, count)
    if (to === undefined) return
    event.preventDefault()
    setAt(to)
  }
  return (
    <figure className="flex flex-col gap-3">
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
        <span aria-hidden className="col-span-2 mb-2 text-[12px] text-soft">
          {title}
        </span>
        <div aria-hidden className="figures flex h-56 flex-col justify-between text-right text-[12px] text-soft">
          <span className="-translate-y-1/2">{textOf(top)}</span>
          <span>{textOf(top / 2)}</span>
          <span className="translate-y-1/2">0</span>
        </div>
        <div
          role="group"
          aria-roledescription="chart"
          aria-label={`${title}. Arrow keys go through it.`}
          tabIndex={0}
          onKeyDown={move}
          onBlur={() => setAt(null)}
          onPointerLeave={() => setAt(null)}
          onPointerMove={({ clientX, currentTarget }) => {
            const { left, width } = currentTarget.getBoundingClientRect()
            setAt(Math.max(0, Math.min(count - 1, Math.floor(((clientX - left) / width) * count))))
          }}
          className="relative h-56 border-b border-line bg-[linear-gradient(to_bottom,var(--line)_1px,transparent_1px)]
            bg-[length:100%_50%]"
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
            <LineTip name={slotName(at)} at={(at + 0.5) / count} shown={shown} colours={colours} textOf={textOf} />
          )}
        </div>
        <div aria-hidden className="col-start-2 mt-1.5 flex justify-between text-[12px] text-soft">
          <span>{slotName(0)}</span>
          <span>{slotName(count - 1)}</span>
        </div>
      </div>
      <Legend lines={lines} colours={colours} />
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

function Legend({ lines, colours }: ColouredProps) {
  return (
    <figcaption>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[12px] text-soft">
        {lines.map(({ group, name }) => (
          <li key={group} className="flex max-w-full items-center gap-1.5">
            <Swatch colour={colours.get(group)} />
            <span className="truncate">{name}</span>
          </li>
        ))}
      </ul>
    </figcaption>
  )
}

interface LineTipProps {
  readonly name: string
  /** Where the slot is, from 0 to 1. */
  readonly at: number
  readonly shown: readonly (Line & { readonly value: number })[]
  readonly colours: ReadonlyMap<string, string>
  readonly textOf: (value: number) => string
}

/** All lines at one slot, beside it. */
function LineTip({ name, at, shown, colours, textOf }: LineTipProps) {
  const place = at < 0.5 ? { left: `calc(${at * 100}% + 12px)` } : { right: `calc(${(1 - at) * 100}% + 12px)` }
  return (
    <div
      aria-hidden
      style={place}
      className="pointer-events-none absolute top-0 z-10 min-w-44 max-w-[70%] rounded-lg border border-line bg-raised
        p-3 text-[12px] shadow-[0_8px_28px_rgb(0_0_0/0.16)]"
    >
      <div className="mb-1.5 font-medium">{name}</div>
      <ul className="flex flex-col gap-0.5">
        {shown.map(({ group, name: called, value }) => (
          <li key={group} className="flex items-center gap-1.5">
            <Swatch colour={colours.get(group)} />
            <span className="flex-1 truncate">{called}</span>
            <span className="figures pl-3">{textOf(value)}</span>
          </li>
        ))}
      </ul>
    </div>
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
