import { clsx } from 'clsx'
import type { ReactNode } from 'react'
import { useSession } from '../api/session.ts'

interface PageProps {
  readonly title: string
  /** One sentence below the title. */
  readonly lead?: ReactNode
  /** Shown to the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Beside the title; several are below the lead where there is no room for them. */
const actionsPlace = clsx(
  'col-start-2 row-start-1 flex flex-wrap gap-2 sm:row-span-2 print:hidden',
  'max-sm:has-[>:nth-child(2)]:col-span-2 max-sm:has-[>:nth-child(2)]:col-start-1',
  'max-sm:has-[>:nth-child(2)]:row-start-3 max-sm:has-[>:nth-child(2)]:mt-2',
)

/** The frame of a page: its title for people and for the browser's tab. */
export function Page({ title, lead, actions, children }: PageProps) {
  const { brand } = useSession().gateway
  return (
    <>
      <title>{`${title} · ${brand}`}</title>
      <div className="mb-7 grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1.5 max-sm:mb-5 max-sm:items-center">
        <h1 className="text-[22px] leading-8 font-semibold tracking-tight break-words sm:text-[28px] sm:leading-9">
          {title}
        </h1>
        {lead !== undefined && (
          <div className="row-start-2 min-w-0 text-soft max-sm:col-span-2 sm:text-[15px] sm:leading-6">{lead}</div>
        )}
        {actions !== undefined && <div className={actionsPlace}>{actions}</div>}
      </div>
      {children}
    </>
  )
}

/** A surface that holds one thing. */
export function Card({
  title,
  actions,
  children,
}: {
  readonly title?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  return (
    <section className="min-w-0 rounded-lg border border-line bg-surface p-4 md:p-5">
      {title !== undefined && (
        <div className="mb-3 flex items-center justify-between gap-3">
          <h2 className="text-[15px] font-semibold">{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  )
}

/** A list that has nothing in it yet: one sentence, and one action that leads on. */
export function Empty({ text, action }: { readonly text: string; readonly action: ReactNode }) {
  return (
    <div
      className="flex flex-col items-center gap-3 rounded-lg
      border border-dashed border-line px-4 py-10 text-center"
    >
      <p className="text-soft">{text}</p>
      {action}
    </div>
  )
}
