import { clsx } from 'clsx'
import { Tabs } from 'radix-ui'
import { CopyButton } from '../ui/copy-button.tsx'
import type { Sample } from './code-samples.ts'

const tabLook = clsx(
  'rounded px-2.5 py-1 whitespace-nowrap text-soft hover:text-text',
  'data-[state=active]:bg-surface data-[state=active]:font-medium data-[state=active]:text-text',
  'data-[state=active]:shadow-[0_0_0_1px_var(--line)]',
)

/** The same request in several languages, to be copied. */
export function CodeTabs({ samples }: { readonly samples: readonly Sample[] }) {
  return (
    <Tabs.Root
      defaultValue={samples[0]?.name ?? ''}
      className="overflow-hidden rounded-lg border border-line bg-sunken"
    >
      <Tabs.List aria-label="Language" className="flex gap-1 overflow-x-auto border-b border-line p-1.5">
        {samples.map(({ name }) => (
          <Tabs.Trigger key={name} value={name} className={tabLook}>
            {name}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {samples.map(({ name, install, code }) => (
        <Tabs.Content key={name} value={name} className="relative outline-offset-[-2px]">
          <pre
            className="max-h-[60dvh] overflow-auto p-4 font-mono sm:pr-24 text-[12.5px] leading-5"
            data-testid={`sample-${name}`}
            tabIndex={0}
            aria-label={`${name} code`}
          >
            {install !== null && <span className="text-soft">{`# ${install}\n\n`}</span>}
            <code>{code}</code>
          </pre>
          <CopyButton
            text={code}
            what={`the ${name} code`}
            className="mb-3 ml-3 h-7 bg-surface sm:absolute sm:top-3 sm:right-3 sm:m-0"
          />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}
