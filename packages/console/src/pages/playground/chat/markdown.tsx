/**
 * What a model wrote, as Markdown: a syntax tree made into elements, never HTML. Loaded when the first answer is shown.
 * Source: decision 0045 (the playground).
 */
import { clsx } from 'clsx'
import { Component, type ComponentType, memo, type ReactNode, useMemo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CopyButton } from '../../../ui/copy-button.tsx'
import type { FormulaProps } from './formula.tsx'
import { hasMath, withMathMarks } from './math-text.ts'
import { useExtras } from './use-extras.ts'

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

/** The language that a fence names, such as `python`; null for none. */
function languageOf(node: ReactNode): string | null {
  if (typeof node !== 'object' || node === null || !('props' in node)) return null
  const look: unknown = Reflect.get(Object(node.props), 'className')
  return typeof look === 'string' ? (/language-([\w+#.-]{1,30})/.exec(look)?.[1] ?? null) : null
}

function CodeBlock({ children }: { readonly children?: ReactNode }) {
  const language = languageOf(children)
  return (
    <div className="group my-3 overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex items-center justify-between border-b border-line pr-1 pl-3 text-[12px] text-soft">
        <span className="font-mono">{language ?? 'code'}</span>
        <CopyButton
          text={textOf(children)}
          what="the code"
          look="quiet"
          className="my-0.5 h-[24px]! px-2! text-[12px]"
        />
      </div>
      <pre
        tabIndex={0}
        aria-label={language === null ? 'Code' : `${language} code`}
        className="overflow-x-auto p-3 font-mono text-[12.5px] leading-5 [&>code]:bg-transparent [&>code]:p-0"
      >
        {children}
      </pre>
    </div>
  )
}

function InlineCode({
  children,
  className,
}: {
  readonly children?: ReactNode
  readonly className?: string | undefined
}) {
  return <code className={clsx('rounded bg-sunken px-1 font-mono text-[12.5px]', className)}>{children}</code>
}

const components: Components = {
  a: ({ href, children }) => <ExternalLink href={href}>{children}</ExternalLink>,
  // An image that a page loads tells its host what was asked: it is a link.
  img: ({ src, alt }) => (
    <ExternalLink href={typeof src === 'string' ? src : undefined}>{alt === '' ? src : alt}</ExternalLink>
  ),
  pre: CodeBlock,
  code: InlineCode,
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

/** The same where formulas can be set: the parser hands them over as code of the language `math`. */
function withFormulas(Formula: ComponentType<FormulaProps>): Components {
  const tex = (node: ReactNode): string => textOf(node).replace(/\n$/, '')
  return {
    ...components,
    pre: ({ children }) =>
      languageOf(children) === 'math' ? <Formula tex={tex(children)} isDisplay /> : <CodeBlock>{children}</CodeBlock>,
    code: ({ children, className }) =>
      className?.includes('math-inline') === true ? (
        <Formula tex={tex(children)} isDisplay={false} />
      ) : (
        <InlineCode className={className}>{children}</InlineCode>
      ),
  }
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

/** With formulas and colours in code, once what makes them is there. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  const { remark, rehype, Formula } = useExtras({ math: hasMath(text), code: text.includes('```') })
  const elements = useMemo(() => (Formula === null ? components : withFormulas(Formula)), [Formula])
  return (
    <PlainWhereBroken text={text}>
      <div className="break-words">
        <ReactMarkdown
          remarkPlugins={[remarkGfm, ...remark]}
          rehypePlugins={[...rehype]}
          components={elements}
          urlTransform={(address) => address}
        >
          {remark.length > 0 ? withMathMarks(text) : text}
        </ReactMarkdown>
      </div>
    </PlainWhereBroken>
  )
})
