import { clsx } from 'clsx'
import type { ReactNode } from 'react'

const TONES = {
  plain: 'bg-sunken text-soft',
  good: 'bg-success-soft text-success',
  careful: 'bg-warning-soft text-warning',
  bad: 'bg-danger-soft text-danger',
  accent: 'bg-accent-soft text-accent',
} as const

export type Tone = keyof typeof TONES

/** A state in a word. */
export function Mark({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <span className={clsx('inline-block rounded px-1.5 text-[12px] leading-5 whitespace-nowrap', TONES[tone])}>
      {children}
    </span>
  )
}
