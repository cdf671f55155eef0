import type { ReactNode } from 'react'

/** Names and what belongs to them, one below the other. */
export function FactList({ children }: { readonly children: ReactNode }) {
  return <dl className="grid grid-cols-[minmax(6.5rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-2">{children}</dl>
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  )
}

/** An id, an address or a hash: small, and broken where it must be. */
export function Code({ children }: { readonly children: ReactNode }) {
  return <span className="font-mono text-[12.5px] break-all">{children}</span>
}
