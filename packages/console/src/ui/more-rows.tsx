import { useEffect, useRef } from 'react'
import { Button } from './button.tsx'

interface MoreRowsProps {
  /** How many rows are shown. */
  readonly shown: number
  readonly total: number
  /** How many more are shown at a press. */
  readonly step: number
  /** What the rows are, in the plural. */
  readonly what: string
  /** @param rows how many shall be shown. */
  readonly onMore: (rows: number) => void
}

/**
 * The way to the rest of a long list that is here already. It comes right after the list, in which one thing of each
 * row is marked `data-row` and takes the focus: the person goes on with the first of them.
 */
export function MoreRows({ shown, total, step, what, onMore }: MoreRowsProps) {
  const place = useRef<HTMLDivElement>(null)
  const asked = useRef<number | null>(null)
  useEffect(() => {
    const first = asked.current
    if (first === null || shown <= first) return
    asked.current = null
    const marked = place.current?.previousElementSibling?.querySelectorAll<HTMLElement>('[data-row]') ?? []
    const rows = [...marked].filter((row) => row.checkVisibility())
    rows[first]?.focus({ preventScroll: true })
  }, [shown])
  const show = (rows: number): void => {
    asked.current = shown
    onMore(rows)
  }
  const rest = total - shown
  return (
    <div ref={place} className="flex flex-wrap justify-center gap-2 empty:hidden">
      {rest > step && (
        <Button look="secondary" onClick={() => show(shown + step)}>
          Show {step} more
        </Button>
      )}
      {rest > 0 && (
        <Button look={rest > step ? 'quiet' : 'secondary'} onClick={() => show(total)}>
          Show all {total.toLocaleString()} {what}
        </Button>
      )}
    </div>
  )
}

/** How many of a list are seen, in words. */
export function rowsText({ shown, total, all, what }: Record<'shown' | 'total' | 'all', number> & { what: string }) {
  const found = total === all ? `${all.toLocaleString()} ${what}` : `${total.toLocaleString()} of ${all} ${what}`
  return shown < total ? `${found}, the first ${shown.toLocaleString()} below` : found
}
