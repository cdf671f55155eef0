/**
 * What a model wrote, as Markdown: a syntax tree made into elements, never HTML. Loaded when the first answer is shown.
 * Source: decision 0045 (the playground).
 */
import { Component, memo, type ReactNode } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CopyButton } from '../../../ui/copy-button.tsx'

/** Addresses that a link may lead to; everything else is text. */
const SAFE = /^https?:\/\//i

function ExternalLink({ href, children }: { readonly href: string | undefined; readonly children?: ReactNode }) {
  if (href === undefined || !SAFE.test(href)) return <>{children}</>
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-accent underline underline-offset-2"
    >
      {children}
    </a>
  )
}

function textOf(node: ReactNode): string {
  if (typeof node === 'string') return node
  if (Array.isArray(node)) return node.map(textOf).join('')
  if (typeof node !== 'object' || node === null || !('props' in node)) return ''
  return textOf(Reflect.get(Object(node.props), 'children') as ReactNode)
}

function CodeBlock({ children }: { readonly children?: ReactNode }) {
  return (
    <div className="group relative my-3">
      <pre
        tabIndex={0}
        aria-label="Code"
        className="overflow-x-auto rounded-lg bg-sunken p-3 pr-20 font-mono text-[12.5px] leading-5"
      >
        {children}
      </pre>
      <CopyButton text={textOf(children)} what="the code" className="absolute top-2 right-2 h-7! px-2!" />
    </div>
  )
}

const components: Components = {
  a: ({ href, children }) => <ExternalLink href={href}>{children}</ExternalLink>,
  // An image that a page loads tells its host what was asked: it is a link.
  img: ({ src, alt }) => (
    <ExternalLink href={typeof src === 'string' ? src : undefined}>{alt === '' ? src : alt}</ExternalLink>
  ),
  pre: ({ children }) => <CodeBlock>{children}</CodeBlock>,
  code: ({ children }) => <code className="rounded bg-sunken px-1 font-mono text-[12.5px]">{children}</code>,
  table: ({ children }) => (
    <div className="my-3 overflow-x-auto" role="region" aria-label="Table" tabIndex={0}>
      <table className="border-collapse text-left">{children}</table>
    </div>
  ),
  th: ({ children }) => <th className="border border-line px-2 py-1 font-medium">{children}</th>,
  td: ({ children }) => <td className="border border-line px-2 py-1">{children}</td>,
  // The page has its own headings: an answer's are bold lines, so that the outline stays that of the page.
  h1: ({ children }) => <p className="mt-4 mb-2 text-[16px] font-semibold">{children}</p>,
  h2: ({ children }) => <p className="mt-4 mb-2 text-[15px] font-semibold">{children}</p>,
  h3: ({ children }) => <p className="mt-3 mb-1 font-semibold">{children}</p>,
  h4: ({ children }) => <p className="mt-3 mb-1 font-semibold">{children}</p>,
  h5: ({ children }) => <p className="mt-3 mb-1 font-semibold">{children}</p>,
  h6: ({ children }) => <p className="mt-3 mb-1 font-semibold">{children}</p>,
  p: ({ children }) => <p className="my-2 first:mt-0 last:mb-0">{children}</p>,
  ul: ({ children }) => <ul className="my-2 list-disc pl-5">{children}</ul>,
  ol: ({ children, start }) => (
    <ol className="my-2 list-decimal pl-6" start={start}>
      {children}
    </ol>
  ),
  blockquote: ({ children }) => (
    <blockquote className="my-2 border-l-2 border-line pl-3 text-soft">{children}</blockquote>
  ),
  hr: () => <hr className="my-4 border-line" />,
  // A box that cannot be ticked says no more than its text.
  input: ({ checked }) => <span aria-hidden>{checked === true ? '☑ ' : '☐ '}</span>,
}

/** What no parser should be given, and what broke one, is shown as it is. */
class PlainWhereBroken extends Component<{ readonly text: string; readonly children: ReactNode }, { broken: boolean }> {
  override state = { broken: false }

  static getDerivedStateFromError(): { broken: boolean } {
    return { broken: true }
  }

  override render(): ReactNode {
    return this.state.broken ? <p className="whitespace-pre-wrap">{this.props.text}</p> : this.props.children
  }
}

const plugins = [remarkGfm]

export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <PlainWhereBroken text={text}>
      <div className="break-words">
        <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={(address) => address}>
          {text}
        </ReactMarkdown>
      </div>
    </PlainWhereBroken>
  )
})
