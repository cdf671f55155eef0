import { Tabs } from 'radix-ui'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import type { CodeSample } from './request-code.ts'

interface CodeDialogProps {
  readonly samples: readonly CodeSample[]
  readonly onClose: () => void
}

const tabLook =
  'rounded px-2.5 py-1 whitespace-nowrap text-soft hover:text-text data-[state=active]:bg-surface ' +
  'data-[state=active]:font-medium data-[state=active]:text-text data-[state=active]:shadow-[0_0_0_1px_var(--line)]'

/** The request that the button would send, as code. */
export function CodeDialog({ samples, onClose }: CodeDialogProps) {
  return (
    <Dialog
      title="The same request as code"
      lead="Put a key of yours in the place of YOUR_KEY."
      look="drawer"
      onClose={onClose}
    >
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
          <Tabs.Content key={name} value={name} className="flex flex-col">
            <pre
              className="max-h-[60dvh] overflow-auto p-4 font-mono text-[12.5px] leading-5"
              data-testid={`code-${name}`}
              tabIndex={0}
              aria-label={`${name} code`}
            >
              {install !== null && <span className="text-soft">{`# ${install}\n\n`}</span>}
              <code>{code}</code>
            </pre>
            <CopyButton text={code} what={`the ${name} code`} className="m-3 self-end" />
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </Dialog>
  )
}
