import type { Sample } from '../samples/code-parts.ts'
import { CopyMark } from './code-frame.tsx'
import { HighlightedCode } from './highlighted-code.tsx'

/** By the names of samples. */
const LANGUAGES: Readonly<Record<string, string>> = { curl: 'bash', svc: 'bash', Python: 'python' }

const tab =
  'rounded px-2.5 py-1 whitespace-nowrap text-soft hover:text-text aria-selected:bg-control aria-selected:font-medium ' +
  'aria-selected:text-text aria-selected:shadow-[0_0_0_1px_var(--line)]'

/** The same request in several languages. Without scripts the first is shown. */
export function SampleTabs({ id, samples }: { readonly id: string; readonly samples: readonly Sample[] }) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken" data-tabs data-code>
      <div className="flex items-center gap-2 border-b border-line pr-1.5">
        <div role="tablist" aria-label="Language" className="flex min-w-0 flex-1 gap-1 overflow-x-auto p-1.5">
          {samples.map(({ name }, at) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-tab-${at}`}
              aria-controls={`${id}-${at}`}
              aria-selected={at === 0}
              tabIndex={at === 0 ? 0 : -1}
              className={tab}
            >
              {name}
            </button>
          ))}
        </div>
        <CopyMark what="the code" />
      </div>
      {samples.map(({ name, install, code }, at) => (
        <div key={name} role="tabpanel" id={`${id}-${at}`} aria-labelledby={`${id}-tab-${at}`} hidden={at > 0}>
          {install !== null && <p className="px-4 pt-3 font-mono text-[12px] text-soft"># {install}</p>}
          <pre
            tabIndex={0}
            aria-label={`${name} code`}
            className="max-h-[60dvh] overflow-auto p-4 font-mono text-[12.5px] leading-5"
          >
            <HighlightedCode code={code} language={LANGUAGES[name] ?? 'javascript'} />
          </pre>
        </div>
      ))}
    </div>
  )
}
