import { errorCodes, type ErrorCode } from '@svc/contract'
import type { Section } from '../guides.ts'
import { operationPath } from '../frame.tsx'
import { HighlightedCode } from '../highlighted-code.tsx'
import { MarkdownText } from '../markdown-text.tsx'
import type { Operation } from '../operations.ts'

const codes = Object.entries(errorCodes) as [ErrorCode, (typeof errorCodes)[ErrorCode]][]

/** What all errors have in common, and the table of them. */
export function ErrorsPage({ text }: { readonly text: string }) {
  return (
    <div className="max-w-3xl leading-6">
      <MarkdownText text={text} />
      <div className="my-4 overflow-x-auto rounded-lg border border-line" role="region" aria-label="Codes" tabIndex={0}>
        <table className="w-full border-collapse text-left">
          <thead>
            <tr className="bg-sunken text-[12px] text-soft">
              <th className="px-3 py-2 font-medium">Status</th>
              <th className="px-3 py-2 font-medium">Code</th>
              <th className="px-3 py-2 font-medium max-sm:hidden">Type</th>
            </tr>
          </thead>
          <tbody>
            {codes.map(([code, { status, type }]) => (
              <tr key={code} className="border-t border-line/70">
                <td className="px-3 py-1">{status}</td>
                <td className="px-3 py-1">
                  <a
                    href={`/docs/errors/${code}`}
                    className="block py-0.5 font-mono text-[12.5px] text-accent wrap-anywhere"
                  >
                    {code}
                  </a>
                </td>
                <td className="px-3 py-1 font-mono text-[12px] text-soft max-sm:hidden">{type}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

interface ErrorPageProps {
  readonly code: ErrorCode
  /** What `docs/errors.md` says of it. */
  readonly section: Section
  readonly operations: readonly Operation[]
}

/** One code: what it means, what to do, which operations can answer it. */
export function ErrorPage({ code, section, operations }: ErrorPageProps) {
  const { status, type } = errorCodes[code]
  const body = { error: { message: '…', type, param: null, code } }
  const answering = operations.filter(({ errors }) => errors.includes(code))
  return (
    <div className="flex max-w-3xl flex-col gap-6 leading-6">
      <div>
        <MarkdownText text={section.text} />
      </div>
      <pre
        tabIndex={0}
        aria-label="The body of the answer"
        className="overflow-x-auto rounded-lg border border-line bg-sunken p-4 font-mono text-[12.5px] leading-5"
      >
        <HighlightedCode code={`HTTP ${status}\n\n${JSON.stringify(body, null, 2)}`} language="http" />
      </pre>
      <section>
        <h2 className="mb-2 font-semibold">Who answers it</h2>
        {answering.length === 0 ? (
          <p className="text-soft">The pages of the console.</p>
        ) : (
          <ul className="grid gap-x-6 sm:grid-cols-2">
            {answering.map(({ id, summary }) => (
              <li key={id}>
                <a href={operationPath(id)} className="block py-1 text-accent hover:underline">
                  {summary}
                </a>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  )
}
