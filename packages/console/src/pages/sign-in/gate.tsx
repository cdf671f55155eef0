import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { useSession } from '../../api/session.ts'
import { Logo } from '../../ui/logo.tsx'

interface GateProps {
  readonly title: string
  /** For pages with more than a form. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** The frame of pages before the sign-in. */
export function Gate({ title, isWide = false, children }: GateProps) {
  const { brand } = useSession().gateway
  return (
    <main
      className={clsx(
        'mx-auto flex min-h-dvh flex-col justify-center gap-6 px-6 py-12',
        isWide ? 'max-w-2xl' : 'max-w-sm',
      )}
    >
      <title>{title.endsWith(brand) ? title : `${title} · ${brand}`}</title>
      <div className="flex flex-col gap-4">
        <Logo size={40} />
        <h1 className="text-2xl leading-8 font-semibold">{title}</h1>
      </div>
      {children}
    </main>
  )
}
