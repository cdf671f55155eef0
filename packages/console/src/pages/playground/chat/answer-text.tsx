import { lazy, Suspense, useDeferredValue } from 'react'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { SHOWN_MAX } from './gather-changes.ts'

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }))

/** Longer answers are plain text: a parser would hold the page up while they come. */
const MARKDOWN_MAX = 50_000

/** The words of an answer, as they come. */
export function AnswerText({ text }: { readonly text: string }) {
  const shown = useDeferredValue(text)
  if (shown.length > MARKDOWN_MAX) return <LongText text={shown} />
  return (
    <Suspense fallback={<p className="whitespace-pre-wrap">{shown}</p>}>
      <Markdown text={shown} />
    </Suspense>
  )
}

function LongText({ text }: { readonly text: string }) {
  const hidden = text.length - SHOWN_MAX
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="max-h-[70dvh] w-full overflow-auto break-words whitespace-pre-wrap" tabIndex={0}>
        {text.slice(0, SHOWN_MAX)}
      </p>
      {hidden > 0 && (
        <p className="text-soft">
          {hidden.toLocaleString()} characters more. <CopyButton text={text} what="the whole answer" className="h-7!" />
        </p>
      )}
    </div>
  )
}
