import { clsx } from 'clsx'
import { Tabs } from 'radix-ui'
import { useState } from 'react'
import { CopyButton } from '../ui/copy-button.tsx'
import { type Sample } from './code-parts.ts'

const tabLook = clsx(
  'rounded px-2.5 py-1 whitespace-nowrap text-soft hover:text-text',
  'data-[state=active]:bg-control data-[state=active]:font-medium data-[state=active]:text-text',
  'data-[state=active]:shadow-[0_0_0_1px_var(--line)]',
)

/** The same request in several languages, to be copied. */
export function CodeTabs({ samples }: { readonly samples: readonly Sample[] }) {
  const [picked, setPicked] = useState(samples[0]?.name ?? '')
  const shown = samples.find(({ name }) => name === picked) ?? samples[0]
  if (shown === undefined) return null
  return (
    <Tabs.Root
      value={shown.name}
      onValueChange={setPicked}
      className="overflow-hidden rounded-lg border border-line bg-sunken"
    >
      <div className="flex items-center gap-2 border-b border-line pr-1.5">
        <Tabs.List aria-label="Language" className="flex min-w-0 flex-1 gap-1 overflow-x-auto p-1.5">
          {samples.map(({ name }) => (
            <Tabs.Trigger key={name} value={name} className={tabLook}>
              {name}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <CopyButton key={shown.name} text={shown.code} what={`the ${shown.name} code`} className="h-7! px-2!" />
      </div>
      {samples.map(({ name, install, code }) => (
        <Tabs.Content key={name} value={name} className="outline-offset-[-2px]">
          <pre
            className="max-h-[60dvh] overflow-auto p-4 font-mono text-[12.5px] leading-5"
            data-testid={`sample-${name}`}
            tabIndex={0}
            aria-label={`${name} code`}
          >
            {install !== null && <span className="text-soft">{`# ${install}\n\n`}</span>}
            <code>{code}</code>
          </pre>
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}
