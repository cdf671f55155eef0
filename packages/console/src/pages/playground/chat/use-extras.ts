import { type ComponentType, useEffect, useState } from 'react'
import type { Options } from 'react-markdown'
import type { FormulaProps } from './formula.tsx'

type Plugins = NonNullable<Options['rehypePlugins']>

interface Extras {
  readonly remark: Plugins
  readonly rehype: Plugins
  /** Sets a formula; null where there is none, or what sets it is not there yet. */
  readonly Formula: ComponentType<FormulaProps> | null
}

const NONE: Extras = { remark: [], rehype: [], Formula: null }

let math: Extras | null = null
let code: Extras | null = null

async function loadMath(): Promise<void> {
  const { remarkExtras, Formula } = await import('./math-plugins.ts')
  math = { remark: remarkExtras as unknown as Plugins, rehype: [], Formula }
}

async function loadCode(): Promise<void> {
  const { default: highlight } = await import('rehype-highlight')
  code = { remark: [], rehype: [highlight], Formula: null }
}

/** What formulas and code are shown with, as far as it is there. Without it they are text, as they were written. */
export function useExtras(needs: { readonly math: boolean; readonly code: boolean }): Extras {
  const [, setLoaded] = useState(0)
  useEffect(() => {
    const waiting = [
      ...(needs.math && math === null ? [loadMath] : []),
      ...(needs.code && code === null ? [loadCode] : []),
    ]
    let isShown = true
    for (const load of waiting) {
      load().then(
        () => isShown && setLoaded((count) => count + 1),
        () => undefined,
      )
    }
    return () => {
      isShown = false
    }
  }, [needs.math, needs.code])
  const [set, coloured] = [needs.math ? (math ?? NONE) : NONE, needs.code ? (code ?? NONE) : NONE]
  return { remark: [...set.remark], rehype: [...coloured.rehype], Formula: set.Formula }
}
