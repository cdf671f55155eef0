import 'katex/dist/katex.min.css'
import katex from 'katex'
import { useLayoutEffect, useRef } from 'react'

/** Nothing in a formula grows beyond its answer or leads anywhere. */
const BOUNDS = { strict: 'ignore', maxSize: 20, maxExpand: 500 } as const

/**
 * Two commands are others that look alike: KaTeX would write their style as an attribute, which the pages' policy
 * refuses. All other styles it sets on the elements themselves.
 */
const ALIKE = { '\\pmb': '\\boldsymbol{#1}', '\\fcolorbox': '\\textcolor{#1}{\\boxed{\\colorbox{#2}{#3}}}' }

export interface FormulaProps {
  readonly tex: string
  /** Whether it has lines of its own. */
  readonly isDisplay: boolean
}

/** A formula in TeX, set by KaTeX. What is none stays as it was written. */
export function Formula({ tex, isDisplay }: FormulaProps) {
  const place = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => {
    if (place.current === null) return
    try {
      // Elements, never HTML: a parser would meet styles in it, and complain of each to the browser's log.
      katex.render(tex, place.current, { ...BOUNDS, macros: { ...ALIKE }, displayMode: isDisplay, throwOnError: true })
    } catch {
      place.current.textContent = tex
    }
  }, [tex, isDisplay])
  return <span ref={place} />
}
