import type { ReactNode } from 'react'

const NAMES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  bash: 'Shell',
  js: 'JavaScript',
  javascript: 'JavaScript',
  ts: 'TypeScript',
  python: 'Python',
  json: 'JSON',
  http: 'HTTP',
  text: 'Text',
  toml: 'TOML',
}

/** A block of code with its language and a button that copies it. The script of the page makes the button work. */
export function CodeFrame({ language, children }: { readonly language: string | null; readonly children?: ReactNode }) {
  const name = language === null ? 'Code' : (NAMES[language] ?? language)
  return (
    <div className="my-4 overflow-hidden rounded-lg border border-line bg-sunken" data-code>
      <div className="flex items-center justify-between border-b border-line pr-1.5 pl-4">
        <span className="py-1.5 text-[12px] text-soft">{name}</span>
        <CopyMark what={`the ${name} code`} />
      </div>
      <pre tabIndex={0} aria-label={`${name} code`} className="overflow-x-auto p-4 font-mono text-[12.5px] leading-5">
        {children}
      </pre>
    </div>
  )
}

export function CopyMark({ what }: { readonly what: string }) {
  return (
    <button
      type="button"
      data-copy
      aria-label={`Copy ${what}`}
      className="rounded px-2 py-0.5 text-[12px] text-soft hover:bg-surface hover:text-text"
    >
      Copy
    </button>
  )
}
