import { clsx } from 'clsx'
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useEffect } from 'react'
import { FreshGate } from './fresh-gate.tsx'
import { dismissDone } from './toasts.tsx'
import { useReturnFocus } from './use-return-focus.ts'

interface DialogProps {
  readonly title: string
  /** One sentence below the title. */
  readonly lead?: ReactNode
  /** Called when the person wants to leave: by the button, the key or a click beside it. */
  readonly onClose: () => void
  /** `drawer` is at the right edge, and fills a phone; `wide` has room for tables. */
  readonly look?: 'dialog' | 'drawer' | 'wide'
  /** Whether the gateway wants a sign-in of a few minutes ago for what is done here: it comes before the content. */
  readonly isSensitive?: boolean
  readonly children: ReactNode
}

const LOOKS = {
  dialog: clsx(
    'left-1/2 top-1/2 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-lg',
    '-translate-x-1/2 -translate-y-1/2 rounded-lg',
  ),
  wide: clsx(
    'left-1/2 top-1/2 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] max-w-5xl',
    '-translate-x-1/2 -translate-y-1/2 rounded-lg',
  ),
  drawer: 'inset-y-0 right-0 w-full max-w-xl border-y-0 border-r-0',
} as const

/** Is above the page until it is answered. */
export function Dialog({ title, lead, onClose, look = 'dialog', isSensitive = false, children }: DialogProps) {
  const returnFocus = useReturnFocus()
  useEffect(dismissDone, [])
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-[oklch(20%_0.01_220/0.45)]" />
        <Radix.Content
          onCloseAutoFocus={returnFocus}
          {...(lead === undefined ? { 'aria-describedby': undefined } : {})}
          className={clsx(
            'fixed z-40 overflow-y-auto overscroll-contain border border-line bg-raised p-5 outline-none md:p-6',
            'shadow-[0_16px_48px_rgb(0_0_0/0.22)]',
            LOOKS[look],
          )}
        >
          <div className="mb-4 flex items-start justify-between gap-4">
            <div className="min-w-0 break-words">
              <Radix.Title className="text-[16px] leading-6 font-semibold">{title}</Radix.Title>
              {lead !== undefined && <Radix.Description className="mt-1 text-soft">{lead}</Radix.Description>}
            </div>
            <Radix.Close className="-m-1.5 rounded p-1.5 text-soft hover:text-text" aria-label="Close">
              <X size={18} aria-hidden />
            </Radix.Close>
          </div>
          {isSensitive ? <FreshGate>{children}</FreshGate> : children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
