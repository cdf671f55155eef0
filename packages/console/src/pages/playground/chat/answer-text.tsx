import { Suspense, useDeferredValue } from 'react'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { lazyPart } from '../../../ui/lazy-part.ts'
import { SHOWN_MAX } from './gather-changes.ts'

interface TextProps {
  readonly text: string
}

/** As it came: while the parser is on its way, and where it does not arrive. */
function PlainText({ text }: TextProps) {
  return <p className="break-words whitespace-pre-wrap">{text}</p>
}

const Markdown = lazyPart<TextProps>(async () => (await import('./markdown.tsx')).Markdown, PlainText)

/** Longer answers are plain text: a parser would hold the page up while they come. */
const MARKDOWN_MAX = 50_000

/** The words of an answer, as they come. */
export function AnswerText({ text }: TextProps) {
  const shown = useDeferredValue(text)
  if (shown.length > MARKDOWN_MAX) return <LongText text={shown} />
  return (
    <Suspense fallback={<PlainText text={shown} />}>
      <Markdown text={shown} />
    </Suspense>
  )
}

function LongText({ text }: TextProps) {
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
