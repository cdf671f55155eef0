import { type AccountState, consoleEndpoints } from '@svc/contract'
import { type ReactNode, useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import type { Account } from '../../api/operator.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { Credits } from '../../ui/credits.tsx'
import { TextField } from '../../ui/field.tsx'
import { ReasonField } from './reason-field.tsx'
import { useOperatorAction } from './use-operator-action.ts'

interface AccountDialogProps {
  readonly account: Account
  readonly onClose: () => void
}

interface StateDialogProps extends AccountDialogProps {
  readonly to: AccountState
  readonly title: string
  readonly button: string
  readonly said: string
  readonly isDangerous: boolean
  /** Typed by hand before the button works; absent where that is not needed. */
  readonly confirmation?: string
  readonly children: ReactNode
}

function StateDialog(props: StateDialogProps) {
  const { account, to, title, button, said, isDangerous, confirmation, onClose, children } = props
  const [typed, setTyped] = useState('')
  const change = useOperatorAction(
    (reason: string) =>
      consoleApi.call(consoleEndpoints.changeAccountState, {
        path: { account_id: account.id },
        body: { state: to, reason },
      }),
    said,
    onClose,
  )
  return (
    <ActionDialog
      isSensitive
      title={title}
      onClose={onClose}
      action={button}
      look={isDangerous ? 'danger' : 'primary'}
      isDisabled={confirmation !== undefined && typed.trim() !== confirmation.trim()}
      run={change}
      onSubmit={(text) => change.mutate(text('reason'))}
    >
      <ul className="flex list-disc flex-col gap-1.5 pl-5 text-soft">{children}</ul>
      <ReasonField />
      {confirmation !== undefined && (
        <TextField
          label={`Type “${confirmation}” to go on`}
          value={typed}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
    </ActionDialog>
  )
}

function running({ count }: Account['open_requests']): string {
  if (count === 0) return 'No request runs now'
  return count === 1 ? 'One request runs now' : `${count.toLocaleString()} requests run now`
}

export function SuspendAccountDialog({ account, onClose }: AccountDialogProps) {
  const { open_requests: open } = account
  return (
    <StateDialog
      account={account}
      onClose={onClose}
      to="suspended"
      title={`Suspend “${account.name}”?`}
      button="Suspend the account"
      said={`“${account.name}” is suspended.`}
      isDangerous
    >
      <li>New requests are refused at once, with a 403 for programs.</li>
      <li>
        {running(open)}
        {open.count > 0 && (
          <>
            : they go on with the <Credits value={account.credits_reserved} /> that are held, and are charged
          </>
        )}
        .
      </li>
      <li>
        Its keys and its balance of <Credits value={account.credits} isBalance /> stay. It can be resumed.
      </li>
    </StateDialog>
  )
}

export function ResumeAccountDialog({ account, onClose }: AccountDialogProps) {
  return (
    <StateDialog
      account={account}
      onClose={onClose}
      to="active"
      title={`Let “${account.name}” work again?`}
      button="Resume the account"
      said={`“${account.name}” works again.`}
      isDangerous={false}
    >
      <li>Its keys work again at once.</li>
    </StateDialog>
  )
}

export function CloseAccountDialog({ account, onClose }: AccountDialogProps) {
  const active = account.keys.filter(({ status }) => status === 'active').length
  const { open_requests: open } = account
  return (
    <StateDialog
      account={account}
      onClose={onClose}
      to="closed"
      title={`Close “${account.name}” for good?`}
      button="Close the account"
      said={`“${account.name}” is closed.`}
      isDangerous
      confirmation={account.name}
    >
      <li>
        {active === 0 ? 'It has no key that works' : active === 1 ? 'Its key ends' : `Its ${active} keys end`}; nothing
        can be started any more.
      </li>
      <li>
        {running(open)}
        {open.count > 0 && ': streams end within a second and are charged for what they delivered'}.
      </li>
      <li>
        Its balance of <Credits value={account.credits} isBalance /> stays. What you owe back is paid outside, and taken
        off by a correction.
      </li>
      <li>Records and statements stay. It cannot be opened again.</li>
    </StateDialog>
  )
}
