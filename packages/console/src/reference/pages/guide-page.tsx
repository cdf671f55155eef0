import type { Section } from '../guides.ts'
import { KeyBar } from '../key-bar.tsx'
import { MarkdownText } from '../markdown-text.tsx'

/** A guide. Where it names a key, the reader can have one of theirs put there. */
export function GuidePage({ text }: { readonly text: string }) {
  return (
    <div className="max-w-3xl leading-6">
      {text.includes('sk-svc-…') && <KeyBar />}
      <MarkdownText text={text} />
    </div>
  )
}

/** The headings of a page, beside it. */
export function OnThisPage({ sections }: { readonly sections: readonly Section[] }) {
  const shown = sections.filter(({ level }) => level === 2 || level === 3)
  return (
    <nav aria-label="On this page" className="max-xl:hidden">
      <div className="sticky top-20 max-h-[calc(100dvh-6rem)] overflow-y-auto">
        <h2 className="pb-1.5 text-[12px] font-medium text-soft">On this page</h2>
        <ul className="border-l border-line">
          {shown.map(({ slug, heading, level }) => (
            <li key={slug}>
              <a
                href={`#${slug}`}
                className={`block py-1 text-[13px] text-soft hover:text-text ${level === 2 ? 'pl-3' : 'pl-6'}`}
              >
                {heading}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </nav>
  )
}
