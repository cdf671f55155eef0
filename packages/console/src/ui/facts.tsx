import type { ReactNode } from 'react'

/** Names and what belongs to them, in two columns. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-[7rem_minmax(0,1fr)] gap-x-4 sm:grid-cols-[9rem_minmax(0,1fr)] gap-y-2">
      {children}
    </dl>
  )
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

/** Figures that answer a question at first sight, side by side. */
export function Figures({ children }: { readonly children: ReactNode }) {
  return (
    <dl className="grid grid-cols-2 gap-x-4 gap-y-5 max-sm:[&>div:first-child]:col-span-2 sm:grid-cols-3 sm:gap-8">
      {children}
    </dl>
  )
}

interface FigureProps {
  readonly name: string
  readonly note: ReactNode
  readonly children: ReactNode
}

export function Figure({ name, note, children }: FigureProps) {
  return (
    <div className="min-w-0">
      <dt className="text-soft">{name}</dt>
      <dd className="mt-1 text-xl leading-7 font-semibold tracking-tight sm:text-[28px] sm:leading-9">{children}</dd>
      <dd className="text-soft">{note}</dd>
    </div>
  )
}
