import type { ReactNode } from 'react'

/** Names and what belongs to them, in two columns. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className="grid grid-cols-[7.5rem_minmax(0,1fr)] gap-x-4 gap-y-2">{children}</dl>
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
  return <dl className="grid gap-5 sm:grid-cols-3 sm:gap-8">{children}</dl>
}

interface FigureProps {
  readonly name: string
  readonly note: ReactNode
  readonly children: ReactNode
}

export function Figure({ name, note, children }: FigureProps) {
  return (
    <div>
      <dt className="text-soft">{name}</dt>
      <dd className="mt-1 text-2xl leading-8 font-semibold">{children}</dd>
      <dd className="text-soft">{note}</dd>
    </div>
  )
}
