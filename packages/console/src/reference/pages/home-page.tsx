import { chatCode } from '../../samples/request-code.ts'
import { operationPath } from '../frame.tsx'
import { guidePath, guides } from '../guides.ts'
import { KeyBar } from '../key-bar.tsx'
import { MethodMark } from '../method-mark.tsx'
import type { Api } from '../operations.ts'
import { SampleTabs } from '../sample-tabs.tsx'
import { SAMPLE_PLACE } from './operation-page.tsx'

const HELLO = { model: 'svc-gpt', messages: [{ role: 'user', content: 'Say hello.' }] }

/** Where a reader begins: a first request, the guides, and every operation. */
export function HomePage({ api }: { readonly api: Api }) {
  return (
    <div className="flex flex-col gap-10">
      <section className="grid items-start gap-6 xl:grid-cols-2">
        <div>
          <h2 className="mb-2 text-lg font-semibold">A first request</h2>
          <ol className="list-decimal space-y-2 pl-5 leading-6">
            <li>
              Make a key in the{' '}
              <a href="/console" className="text-accent underline underline-offset-2">
                console
              </a>
              .
            </li>
            <li>
              Point any OpenAI client at{' '}
              <code className="rounded bg-sunken px-1 font-mono text-[12.5px]" data-code>
                http://localhost:8787/api/v1
              </code>
              .
            </li>
            <li>
              Send a request. Every answer says what it cost;{' '}
              <a href={guidePath('money')} className="text-accent underline underline-offset-2">
                how that is calculated
              </a>{' '}
              is written down to the nanocredit.
            </li>
          </ol>
        </div>
        <div className="flex min-w-0 flex-col gap-3">
          <SampleTabs id="first" samples={chatCode(SAMPLE_PLACE, HELLO)} />
          <KeyBar />
        </div>
      </section>
      <section>
        <h2 className="mb-3 text-lg font-semibold">Guides</h2>
        <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
          {[...guides, { name: 'errors', title: 'Errors', about: 'Every code: who causes it and what to do.' }].map(
            ({ name, title, about }) => (
              <li key={name}>
                <a
                  href={guidePath(name)}
                  className="block h-full rounded-lg border border-line bg-surface p-4 hover:border-line-strong"
                >
                  <span className="font-semibold">{title}</span>
                  <span className="mt-1 block text-soft">{about}</span>
                </a>
              </li>
            ),
          )}
        </ul>
      </section>
      <section>
        <h2 className="mb-3 text-lg font-semibold">Reference</h2>
        <div className="grid gap-x-10 gap-y-6 xl:grid-cols-2">
          {api.tags.map(({ name, description, operations }) => (
            <div key={name}>
              <h3 className="font-semibold">{name}</h3>
              <p className="mb-1 text-soft">{description}</p>
              <ul>
                {operations.map(({ id, method, summary }) => (
                  <li key={id}>
                    <a href={operationPath(id)} className="flex items-center gap-2 rounded py-1 hover:text-accent">
                      <MethodMark method={method} />
                      {summary}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </div>
      </section>
      <p className="text-soft">
        For programs: the{' '}
        <a href="/api/openapi" className="text-accent underline underline-offset-2">
          OpenAPI document
        </a>{' '}
        ({api.version}), and{' '}
        <a href="/llms.txt" className="text-accent underline underline-offset-2">
          llms.txt
        </a>{' '}
        with every guide as Markdown.
      </p>
    </div>
  )
}
