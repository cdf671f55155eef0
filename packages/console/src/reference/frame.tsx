import type { ReactNode } from 'react'
import { ERRORS, guidePath, guides } from './guides.ts'
import type { Api } from './operations.ts'

interface FrameProps {
  readonly api: Api
  /** The address of the page, below the origin. */
  readonly path: string
  readonly title: string
  readonly lead?: string
  /** Beside the text on wide screens. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

const link =
  'block rounded px-2 py-1 text-soft hover:bg-surface hover:text-text aria-[current=page]:bg-control ' +
  'aria-[current=page]:font-medium aria-[current=page]:text-text aria-[current=page]:shadow-[0_0_0_1px_var(--line)]'

/** What is around every page of the reference: the bar, the list of pages, the title. */
export function Frame({ api, path, title, lead, aside, children }: FrameProps) {
  return (
    <>
      <a
        href="#content"
        className="sr-only z-50 rounded bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to the content
      </a>
      <TopBar />
      <div className="md:grid md:grid-cols-[264px_minmax(0,1fr)]">
        <Contents api={api} path={path} />
        <main id="content" tabIndex={-1} className="max-w-[96rem] min-w-0 px-4 pt-8 pb-16 outline-none md:px-10">
          <div
            className={aside === undefined ? '' : 'grid gap-10 xl:grid-cols-[minmax(0,46rem)_14rem] xl:justify-between'}
          >
            <div className="min-w-0">
              <h1 className="text-[28px] leading-9 font-semibold tracking-tight wrap-anywhere">{title}</h1>
              {lead !== undefined && <p className="mt-2 mb-6 max-w-3xl text-[15px] leading-6 text-soft">{lead}</p>}
              {lead === undefined && <div className="mb-4" />}
              {children}
            </div>
            {aside}
          </div>
        </main>
      </div>
      <SearchDialog />
    </>
  )
}

function TopBar() {
  return (
    <header className="sticky top-0 z-20 flex h-14 items-center gap-3 border-b border-line bg-ground/95 px-4 backdrop-blur md:px-6">
      <button
        type="button"
        data-menu
        aria-expanded="false"
        aria-controls="contents"
        className="rounded border border-line bg-control px-2.5 py-1 md:hidden"
      >
        Contents
      </button>
      <a href="/docs" className="flex min-w-0 items-center gap-2 py-1 text-[15px] font-semibold">
        <img src="/console/assets/icon.svg" width={24} height={24} alt="" />
        <span className="truncate max-sm:sr-only" data-brand>
          SVC
        </span>
        <span className="font-normal text-soft">Docs</span>
      </a>
      <div className="flex-1" />
      <button
        type="button"
        data-search-open
        aria-keyshortcuts="Control+K Meta+K /"
        className="flex min-w-0 items-center gap-3 rounded border border-line bg-control px-3 py-1 text-soft hover:border-line-strong sm:min-w-56"
      >
        <span className="flex-1 text-left">Search</span>
        <kbd className="rounded border border-line px-1 font-mono text-[11px] max-sm:hidden">/</kbd>
      </button>
      <button type="button" data-theme-switch className="rounded px-2 py-1 text-soft hover:text-text max-sm:hidden">
        Dark
      </button>
      <a href="/console" className="py-1 text-soft hover:text-text">
        Console
      </a>
    </header>
  )
}

function Contents({ api, path }: { readonly api: Api; readonly path: string }) {
  const isHere = (href: string): 'page' | undefined => (href === path ? 'page' : undefined)
  return (
    <nav
      id="contents"
      aria-label="Contents"
      className="docs-contents border-line bg-sunken p-4 md:sticky md:top-14 md:h-[calc(100dvh-3.5rem)] md:overflow-y-auto md:border-r"
    >
      <h2 className="px-2 pb-1.5 text-[12px] font-medium text-soft">Guides</h2>
      <ul className="mb-4 flex flex-col gap-0.5">
        {guides.map(({ name, title }) => (
          <li key={name}>
            <a href={guidePath(name)} className={link} aria-current={isHere(guidePath(name))}>
              {title}
            </a>
          </li>
        ))}
        <li>
          <a href={guidePath(ERRORS)} className={link} aria-current={isHere(guidePath(ERRORS))}>
            Errors
          </a>
        </li>
      </ul>
      <h2 className="px-2 pb-1.5 text-[12px] font-medium text-soft">Reference</h2>
      {api.tags
        .filter(({ operations }) => operations.length > 0)
        .map(({ name, operations }) => (
          <details key={name} open={operations.some(({ id }) => operationPath(id) === path)}>
            <summary className="cursor-pointer rounded px-2 py-1 hover:bg-surface">{name}</summary>
            <ul className="mb-2 flex flex-col gap-0.5 pl-3">
              {operations.map(({ id, summary }) => (
                <li key={id}>
                  <a href={operationPath(id)} className={link} aria-current={isHere(operationPath(id))}>
                    {summary}
                  </a>
                </li>
              ))}
            </ul>
          </details>
        ))}
    </nav>
  )
}

export const operationPath = (id: string): string => `/docs/api/${id}`

/** Empty until it is opened: what it searches is fetched then. */
function SearchDialog() {
  return (
    <dialog
      data-search
      aria-label="Search the docs"
      className="m-auto mt-[10vh] w-[min(40rem,calc(100vw-2rem))] rounded-lg border border-line bg-raised p-0 text-text shadow-2xl backdrop:bg-black/40"
    >
      <div className="flex items-center gap-2 border-b border-line p-2">
        <input
          type="search"
          data-search-field
          aria-label="Search the docs"
          placeholder="Guides, endpoints, fields, error codes"
          autoComplete="off"
          spellCheck={false}
          className="min-w-0 flex-1 rounded bg-transparent px-2 py-2 text-[15px] placeholder:text-soft"
        />
        <button type="button" data-search-close className="rounded px-2 py-1 text-soft hover:text-text">
          Close
        </button>
      </div>
      <p role="status" data-search-said className="px-4 py-2 text-[12px] text-soft" />
      <ul data-search-found className="max-h-[60vh] overflow-y-auto p-2 empty:hidden" />
    </dialog>
  )
}
