/** What charts over time share: how a slot is chosen, the scale, the legend and the box beside a slot. */
import { type KeyboardEvent, type ReactNode, useState } from 'react'

/** Where a key leads from a slot; undefined for a key that means nothing here. */
function nextSlot(key: string, at: number | null, count: number): number | null | undefined {
  const last = count - 1
  if (key === 'ArrowLeft') return Math.max(0, (at ?? count) - 1)
  if (key === 'ArrowRight') return Math.min(last, (at ?? -1) + 1)
  if (key === 'Home') return 0
  if (key === 'End') return last
  return key === 'Escape' ? null : undefined
}

/** The slot that is looked at, by pointer or keys; null for none. `handlers` belong to the focusable chart. */
export function useChartSlot(count: number) {
  const [at, setAt] = useState<number | null>(null)
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = nextSlot(event.key, at, count)
    if (to === undefined) return
    event.preventDefault()
    setAt(to)
  }
  const leave = (): void => setAt(null)
  return { at, setAt, handlers: { onKeyDown, onBlur: leave, onPointerLeave: leave } }
}

/** The lines of the scale, behind what is drawn. */
export const PLOT = `relative h-56 border-b border-line
  bg-[linear-gradient(to_bottom,var(--line)_1px,transparent_1px)] bg-[length:100%_50%]`

/** What the height means. */
export function Scale({ most, middle }: { readonly most: string; readonly middle: string }) {
  return (
    <div aria-hidden className="figures flex h-56 flex-col justify-between text-right text-[12px] text-soft">
      <span className="-translate-y-1/2">{most}</span>
      <span>{middle}</span>
      <span className="translate-y-1/2">0</span>
    </div>
  )
}

export function Swatch({ colour }: { readonly colour: string | undefined }) {
  return <span aria-hidden className="size-2.5 shrink-0 rounded-sm" style={{ background: colour }} />
}

interface LegendEntry {
  readonly group: string
  readonly name: string
  /** What is said beside the name. */
  readonly figure?: ReactNode
}

interface LegendProps {
  readonly entries: readonly LegendEntry[]
  readonly colours: ReadonlyMap<string, string>
}

export function Legend({ entries, colours }: LegendProps) {
  return (
    <figcaption>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-[12px] text-soft">
        {entries.map(({ group, name, figure }) => (
          <li key={group} className="flex max-w-full items-center gap-1.5">
            <Swatch colour={colours.get(group)} />
            <span className="truncate">{name}</span>
            {figure}
          </li>
        ))}
      </ul>
    </figcaption>
  )
}

interface SlotTipProps {
  /** Where the slot is, from 0 to 1. */
  readonly at: number
  /** From the middle of the slot to the box, in pixels. */
  readonly gap: number
  readonly head: ReactNode
  readonly entries: readonly (LegendEntry & { readonly figure: string })[]
  readonly colours: ReadonlyMap<string, string>
  readonly children?: ReactNode
}

/** All that is known of one slot, beside it. */
export function SlotTip({ at, gap, head, entries, colours, children }: SlotTipProps) {
  const place = at < 0.5 ? { left: `calc(${at * 100}% + ${gap}px)` } : { right: `calc(${(1 - at) * 100}% + ${gap}px)` }
  return (
    <div
      aria-hidden
      style={place}
      className="pointer-events-none absolute top-0 z-10 min-w-44 max-w-[70%] rounded-lg border border-line bg-raised
        p-3 text-[12px] shadow-[0_8px_28px_rgb(0_0_0/0.16)]"
    >
      {head}
      <ul className="flex flex-col gap-0.5">
        {entries.map(({ group, name, figure }) => (
          <li key={group} className="flex items-center gap-1.5">
            <Swatch colour={colours.get(group)} />
            <span className="flex-1 truncate">{name}</span>
            <span className="figures pl-3">{figure}</span>
          </li>
        ))}
      </ul>
      {children}
    </div>
  )
}
