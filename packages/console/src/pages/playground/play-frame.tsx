import { SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'

/** The work in the middle and its settings beside it; on a phone they are behind a button. */
export function PlayFrame({ settings, children }: { readonly settings: ReactNode; readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_260px]">
      <div className="flex min-w-0 flex-col gap-4">
        <Button look="quiet" className="self-end px-2! lg:hidden" onClick={() => setOpen(true)}>
          <SlidersHorizontal size={14} aria-hidden />
          Settings
        </Button>
        {children}
      </div>
      <aside aria-label="Settings" className="hidden lg:block">
        <div className="sticky top-20 flex flex-col gap-4">{settings}</div>
      </aside>
      {isOpen && (
        <Dialog title="Settings" look="drawer" onClose={() => setOpen(false)}>
          <div className="flex flex-col gap-4">{settings}</div>
        </Dialog>
      )}
    </div>
  )
}
