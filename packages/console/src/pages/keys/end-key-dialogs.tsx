import type { Exact, TeamKey } from '@svc/contract'
import { useState } from 'react'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { ActionForm } from '../../ui/action-form.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useRevokeKey, useRotateKey } from './key-changes.ts'
import { SecretDialog } from './secret-dialog.tsx'

interface KeyDialogProps {
  readonly target: Exact<TeamKey>
  readonly onClose: () => void
}

/** Names the key and says what happens to requests that run. */
export function RevokeKeyDialog({ target, onClose }: KeyDialogProps) {
  const revoke = useRevokeKey(target.id)
  const confirm = (): void =>
    revoke.mutate(undefined, {
      onSuccess: () => {
        toast.done(`Key “${target.name}” is revoked.`)
        onClose()
      },
    })
  return (
    <ActionDialog
      title={`Revoke “${target.name}”?`}
      lead={
        <>
          <span className="font-mono">{target.display}</span> stops working at once. Requests that run with it end
          within a second and are charged for what they delivered. This cannot be undone.
        </>
      }
      onClose={onClose}
      action="Revoke the key"
      look="danger"
      cancel="Keep it"
      run={revoke}
      onSubmit={confirm}
    />
  )
}

const OVERLAPS = [
  { value: '0', text: 'End it at once' },
  { value: '1', text: 'One more hour' },
  { value: '24', text: 'One more day' },
  { value: '168', text: 'One more week' },
] as const

/** A new secret for the same use; the old one works for a while, so that nothing stops meanwhile. */
export function RotateKeyDialog({ target, onClose }: KeyDialogProps) {
  const rotate = useRotateKey(target.id)
  const [hours, setHours] = useState('24')
  return (
    <SecretDialog
      title={`Replace “${target.name}”?`}
      lead="You get a new key with the same name, models and end. Both spend from the same budget."
      made={rotate.data ?? null}
      onClose={onClose}
    >
      <ActionForm
        action="Make the new key"
        run={rotate}
        onSubmit={() => rotate.mutate(Number(hours))}
        onClose={onClose}
      >
        <SelectField label="The old key" options={OVERLAPS} value={hours} onPick={setHours} />
      </ActionForm>
    </SecretDialog>
  )
}
