import type { ReactNode } from 'react'
import { KEY_PLACE } from '../../samples/code-parts.ts'
import { KeyBar } from '../key-bar.tsx'
import { HighlightedCode } from '../highlighted-code.tsx'
import { InlineText, MarkdownText } from '../markdown-text.tsx'
import { MethodMark } from '../method-mark.tsx'
import type { Api, Content, Operation } from '../operations.ts'
import { samplesOf } from '../operation-samples.ts'
import { RunForm } from '../run-form.tsx'
import { SampleTabs } from '../sample-tabs.tsx'
import { Field, SchemaFields } from '../schema-fields.tsx'

/** The address that the scripts of the pages replace by that of the gateway. */
export const SAMPLE_PLACE = { baseUrl: 'http://localhost:8787/api/v1', key: KEY_PLACE }

const AUTH: Readonly<Record<Operation['auth'], string>> = {
  key: 'Needs a key: Authorization: Bearer sk-svc-…',
  public: 'Needs no key.',
  signed: 'Needs no key: the address that the gateway gave carries a signature.',
}

/** One operation: what it takes, what it answers, how it fails, code, and a form that sends it. */
export function OperationPage({ operation, api }: { readonly operation: Operation; readonly api: Api }) {
  const { schemas } = api
  const { parameters, bodies, reply, errors } = operation
  return (
    <div className="grid items-start gap-x-10 gap-y-8 xl:grid-cols-[minmax(0,1fr)_minmax(0,30rem)]">
      <div className="flex min-w-0 flex-col gap-8">
        <div>
          <p className="flex flex-wrap items-center gap-2 font-mono text-[12.5px]">
            <MethodMark method={operation.method} />
            <span className="wrap-anywhere">{operation.path}</span>
          </p>
          <MarkdownText text={operation.description} />
          <p className="text-[12px] text-soft">
            {AUTH[operation.auth]}
            {operation.isCharged && ' The answer says what it cost.'}
          </p>
        </div>
        {(['path', 'query', 'header'] as const).map((place) => {
          const shown = parameters.filter((each) => each.in === place)
          if (shown.length === 0) return null
          return (
            <Part key={place} title={`In the ${place}`}>
              <ul className="divide-y divide-line/70">
                {shown.map(({ name, required, description, schema }) => (
                  <li key={name} className="py-2.5">
                    <Field
                      name={name}
                      schema={description === undefined ? schema : { ...schema, description }}
                      schemas={schemas}
                      isRequired={required}
                    />
                  </li>
                ))}
              </ul>
            </Part>
          )
        })}
        {bodies.map((body) => (
          <Part key={body.type} title="Body" note={body.type}>
            <SchemaFields schema={body.schema} schemas={schemas} />
          </Part>
        ))}
        <Part title="Answer" note={reply.description}>
          {reply.contents.map((content) => (
            <Answer key={content.type} content={content} api={api} />
          ))}
          {reply.headers.length > 0 && <Headers headers={reply.headers} />}
        </Part>
        <Part title="Errors" note="error.code is one of these; each has a page.">
          <ul className="flex flex-wrap gap-1.5">
            {errors.map((code) => (
              <li key={code}>
                <a
                  href={`/docs/errors/${code}`}
                  className="block rounded bg-sunken px-2 py-[3px] font-mono text-[12px] hover:text-accent"
                >
                  {code}
                </a>
              </li>
            ))}
          </ul>
        </Part>
      </div>
      <aside aria-label="Code" className="flex min-w-0 flex-col gap-4 xl:sticky xl:top-20">
        <SampleTabs id="sample" samples={samplesOf(operation, SAMPLE_PLACE)} />
        {operation.auth === 'key' && <KeyBar />}
        {operation.auth !== 'signed' && <RunForm operation={operation} />}
      </aside>
    </div>
  )
}

interface PartProps {
  readonly title: string
  readonly note?: string
  readonly children: ReactNode
}

function Part({ title, note, children }: PartProps) {
  return (
    <section>
      <h2 className="font-semibold">{title}</h2>
      {note !== undefined && (
        <p className="mb-2 text-soft">
          <InlineText text={note} />
        </p>
      )}
      {children}
    </section>
  )
}

/** Longer examples are cut by a box that scrolls. */
function Answer({ content: { type, schema, example }, api }: { readonly content: Content; readonly api: Api }) {
  const { schemas } = api
  const isEvents = type === 'text/event-stream'
  const event = isEvents ? (Reflect.get(schema, 'x-event-schema') as typeof schema | undefined) : undefined
  const shown = example === undefined ? null : typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return (
    <details className="mb-2 rounded-lg border border-line px-4 py-1" open={type === 'application/json'}>
      <summary className="cursor-pointer py-1.5">
        <code className="font-mono text-[12.5px]">{type}</code>
        {event !== undefined && <span className="text-soft"> of events</span>}
      </summary>
      {shown !== null && (
        <pre
          tabIndex={0}
          aria-label={`Example of ${type}`}
          className="mb-2 max-h-80 overflow-auto rounded-lg bg-sunken p-3 font-mono text-[12px] leading-5"
        >
          <HighlightedCode code={shown} language={isEvents ? 'plaintext' : 'json'} />
        </pre>
      )}
      <SchemaFields schema={event ?? schema} schemas={schemas} depth={1} />
    </details>
  )
}

function Headers({ headers }: { readonly headers: Operation['reply']['headers'] }) {
  return (
    <details className="rounded-lg border border-line px-4 py-1">
      <summary className="cursor-pointer py-1.5">Headers</summary>
      <dl className="divide-y divide-line/70">
        {headers.map(({ name, description }) => (
          <div key={name} className="py-2">
            <dt className="font-mono text-[12.5px]">{name}</dt>
            <dd className="text-soft">
              <InlineText text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
