import type { Exact, TeamKey } from '@svc/contract'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
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
    <Dialog
      title={`Revoke “${target.name}”?`}
      lead={
        <>
          <span className="font-mono">{target.display}</span> stops working at once. Requests that run with it end
          within a second and are charged for what they delivered. This cannot be undone.
        </>
      }
      onClose={onClose}
    >
      <Failure error={revoke.error} />
      <div className="mt-4 flex justify-end gap-2">
        <Button look="quiet" onClick={onClose}>
          Keep it
        </Button>
        <Button look="danger" isBusy={revoke.isPending} onClick={confirm}>
          Revoke the key
        </Button>
      </div>
    </Dialog>
  )
}

const OVERLAPS = [
  { value: '0', text: 'End it at once' },
  { value: '1', text: 'One more hour' },
  { value: '24', text: 'One more day' },
  { value: '168', text: 'One more week' },
] as const

/** A new secret for the same use; the old one works for a while, so that nothing stands still meanwhile. */
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
      <div className="flex flex-col gap-4">
        <SelectField label="The old key" options={OVERLAPS} value={hours} onPick={setHours} />
        <Failure error={rotate.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button isBusy={rotate.isPending} onClick={() => rotate.mutate(Number(hours))}>
            Make the new key
          </Button>
        </div>
      </div>
    </SecretDialog>
  )
}
