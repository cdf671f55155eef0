import type { ReactNode } from 'react'

/** An id, an address or a hash: small, and broken where it must be. */
export function Code({ children }: { readonly children: ReactNode }) {
  return <span className="font-mono text-[12.5px] wrap-anywhere">{children}</span>
}
