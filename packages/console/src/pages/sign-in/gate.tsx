import type { ReactNode } from 'react'
import { Logo } from '../../ui/logo.tsx'

/** The frame of pages before the sign-in. */
export function Gate({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh max-w-sm flex-col justify-center gap-6 px-6 py-12">
      <title>{`${title} · SVC`}</title>
      <div className="flex flex-col gap-4">
        <Logo size={40} />
        <h1 className="text-2xl leading-8 font-semibold">{title}</h1>
      </div>
      {children}
    </main>
  )
}
