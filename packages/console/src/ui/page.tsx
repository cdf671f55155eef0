import type { ReactNode } from 'react'
import { useSession } from '../api/session.ts'

interface PageProps {
  readonly title: string
  /** One sentence below the title. */
  readonly lead?: ReactNode
  /** Stands to the right of the title. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The frame of a page: its title for people and for the browser's tab. */
export function Page({ title, lead, actions, children }: PageProps) {
  const { brand } = useSession().gateway
  return (
    <>
      <title>{`${title} · ${brand}`}</title>
      <div className="mb-6 flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1 className="text-xl leading-7 font-semibold">{title}</h1>
          {lead !== undefined && <div className="mt-1 text-soft">{lead}</div>}
        </div>
        {actions !== undefined && <div className="flex gap-2">{actions}</div>}
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
          <h2 className="font-semibold">{title}</h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  )
}

/** A list that has nothing in it yet: one sentence, one action. */
export function Empty({ text, action }: { readonly text: string; readonly action?: ReactNode }) {
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
