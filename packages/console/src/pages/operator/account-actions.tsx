import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'
import type { Account } from '../../api/operator.ts'
import { Button } from '../../ui/button.tsx'
import { menuItem } from '../../ui/menu.ts'
import { MenuContent } from '../../ui/menu-content.tsx'
import { CloseAccountDialog, ResumeAccountDialog, SuspendAccountDialog } from './account-state-dialogs.tsx'
import { CreditsDialog } from './credits-dialog.tsx'
import { ExportDialog } from './export-dialog.tsx'

type Open = 'grant' | 'adjustment' | 'suspend' | 'resume' | 'close' | 'export'

/** What can be done to an account; each asks for a reason and says what comes of it. */
export function AccountActions({ account }: { readonly account: Account }) {
  const [open, setOpen] = useState<Open | null>(null)
  const close = (): void => setOpen(null)
  return (
    <>
      <Button onClick={() => setOpen('grant')}>Give credits</Button>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button look="secondary">
            Actions
            <ChevronDown size={14} aria-hidden />
          </Button>
        </DropdownMenu.Trigger>
        <MenuContent align="end">
          <DropdownMenu.Item className={menuItem} onSelect={() => setOpen('adjustment')}>
            Correct the balance
          </DropdownMenu.Item>
          <DropdownMenu.Item className={menuItem} onSelect={() => setOpen('export')}>
            Export its data
          </DropdownMenu.Item>
          {account.state === 'active' && (
            <DropdownMenu.Item className={menuItem} onSelect={() => setOpen('suspend')}>
              Suspend
            </DropdownMenu.Item>
          )}
          {account.state === 'suspended' && (
            <DropdownMenu.Item className={menuItem} onSelect={() => setOpen('resume')}>
              Resume
            </DropdownMenu.Item>
          )}
          {account.state !== 'closed' && (
            <DropdownMenu.Item className={clsx(menuItem, 'text-danger')} onSelect={() => setOpen('close')}>
              Close for good
            </DropdownMenu.Item>
          )}
        </MenuContent>
      </DropdownMenu.Root>
      {open === 'suspend' && <SuspendAccountDialog account={account} onClose={close} />}
      {open === 'resume' && <ResumeAccountDialog account={account} onClose={close} />}
      {open === 'close' && <CloseAccountDialog account={account} onClose={close} />}
      {open === 'export' && <ExportDialog account={account} onClose={close} />}
      {(open === 'grant' || open === 'adjustment') && <CreditsDialog account={account} kind={open} onClose={close} />}
    </>
  )
}
