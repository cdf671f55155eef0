/** The documents' Markdown as elements, made once when the pages are built. */
import { clsx } from 'clsx'
import { createContext, Fragment, isValidElement, type ReactNode, use } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import rehypeHighlight from 'rehype-highlight'
import remarkGfm from 'remark-gfm'
import { CodeFrame } from './code-frame.tsx'
import { siteHref, slugOf } from './guides.ts'
import { languages } from './highlighted-code.tsx'

/** The text that elements show. */
function textOf(node: ReactNode): string {
  if (typeof node === 'string') return node
  if (Array.isArray(node)) return node.map(textOf).join('')
  return isValidElement<{ children?: ReactNode }>(node) ? textOf(node.props.children) : ''
}

/** The language of a block, such as `js`; null where its fence names none. */
function languageOf(node: ReactNode): string | null {
  if (!isValidElement<{ className?: string }>(node)) return null
  return /language-([\w-]{1,20})/.exec(node.props.className ?? '')?.[1] ?? null
}

const anchor = 'ml-2 text-soft no-underline opacity-0 group-hover:opacity-100 focus-visible:opacity-100'

function Heading({ as: Tag, look, children }: { as: 'h2' | 'h3' | 'h4'; look: string; children?: ReactNode }) {
  const text = textOf(children)
  const id = slugOf(text)
  return (
    <Tag id={id} className={`group scroll-mt-20 font-semibold text-text ${look}`}>
      {children}
      <a href={`#${id}`} className={anchor} aria-label={`Link to “${text}”`}>
        #
      </a>
    </Tag>
  )
}

function SiteLink({ href, children }: { readonly href: string | undefined; readonly children?: ReactNode }) {
  const to = siteHref(href ?? '')
  if (to === null) return <>{children}</>
  return (
    <a href={to} className="text-accent underline underline-offset-2">
      {children}
    </a>
  )
}

/** A link that is all of its line is large enough for a finger. */
const loneLinks = '[&>li>a:only-child]:inline-block [&>li>a:only-child]:py-0.5'

/** Whether text is in a cell of a table, which can be narrower than a name. */
const InCell = createContext(false)

const inlineLook = 'rounded bg-sunken px-1 py-0.5 font-mono text-[12.5px] wrap-anywhere'

/** Code in a sentence. A name in a cell stays whole where a line has room, and else breaks behind an underscore. */
function InlineCode({
  children,
  className,
}: {
  readonly children?: ReactNode
  readonly className?: string | undefined
}) {
  const isInCell = use(InCell)
  if (className !== undefined) return <code className={className}>{children}</code>
  if (!isInCell || typeof children !== 'string' || !/^\w+$/.test(children)) {
    return <code className={inlineLook}>{children}</code>
  }
  return (
    <code className={clsx(inlineLook, 'inline-block max-w-full')}>
      {children.split(/(?<=_)/).map((word, at) => (
        <Fragment key={at}>
          {at > 0 && <wbr />}
          {word}
        </Fragment>
      ))}
    </code>
  )
}

const components: Components = {
  // The page says it above.
  h1: () => null,
  h2: ({ children }) => (
    <Heading as="h2" look="mt-10 mb-3 text-lg leading-7">
      {children}
    </Heading>
  ),
  h3: ({ children }) => (
    <Heading as="h3" look="mt-7 mb-2 text-[15px]">
      {children}
    </Heading>
  ),
  h4: ({ children }) => (
    <Heading as="h4" look="mt-5 mb-2">
      {children}
    </Heading>
  ),
  p: ({ children }) => <p className="my-3">{children}</p>,
  ul: ({ children }) => <ul className={clsx('my-3 list-disc space-y-1 pl-5', loneLinks)}>{children}</ul>,
  ol: ({ children, start }) => (
    <ol className="my-3 list-decimal space-y-1 pl-6" start={start}>
      {children}
    </ol>
  ),
  a: ({ href, children }) => <SiteLink href={href}>{children}</SiteLink>,
  img: ({ alt }) => <>{alt}</>,
  blockquote: ({ children }) => (
    <blockquote className="my-3 border-l-2 border-line pl-3 text-soft">{children}</blockquote>
  ),
  code: InlineCode,
  pre: ({ children }) => <CodeFrame language={languageOf(children)}>{children}</CodeFrame>,
  table: ({ children }) => (
    // No landmark: a page may have twenty of them.
    <div className="my-4 overflow-x-auto rounded-lg border border-line" tabIndex={0}>
      <table className="w-full border-collapse text-left">{children}</table>
    </div>
  ),
  th: ({ children }) => {
    const look = 'border-b border-line bg-sunken px-3 py-2 text-[12px] font-medium text-soft'
    // A corner is the head of nothing.
    return textOf(children) === '' ? <td className={look} /> : <th className={look}>{children}</th>
  },
  td: ({ children }) => (
    <InCell value={true}>
      <td className="border-b border-line/70 px-3 py-2 align-top">{children}</td>
    </InCell>
  ),
}

const remark = [remarkGfm]
const rehype: NonNullable<Options['rehypePlugins']> = [[rehypeHighlight, { languages }]]

/** A document, or a part of one. Its first heading is left to the page. */
export function MarkdownText({ text }: { readonly text: string }) {
  return (
    <ReactMarkdown remarkPlugins={remark} rehypePlugins={rehype} components={components} skipHtml>
      {text}
    </ReactMarkdown>
  )
}

/** A sentence of a schema: text, with code between backticks. */
export function InlineText({ text }: { readonly text: string }) {
  return text.split('`').map((part, at) =>
    at % 2 === 0 ? (
      part
    ) : (
      <code key={at} className="rounded bg-sunken px-1 font-mono text-[12px] wrap-anywhere">
        {part}
      </code>
    ),
  )
}
