import type { MadeTeamKey } from '@svc/contract'
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { KeySecret } from './key-secret.tsx'

interface SecretDialogProps {
  readonly title: string
  readonly lead?: string
  /** Null until the key is made: until then the form is shown. */
  readonly made: MadeTeamKey | null
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A dialog that ends with a key which is shown once; leaving without having kept it asks once. */
export function SecretDialog({ title, lead, made, onClose, children }: SecretDialogProps) {
  const [isKept, setKept] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const leave = (): void => {
    if (made === null || isKept || isAsking) onClose()
    else setAsking(true)
  }
  // Who copies it after the question has answered it.
  const mustAsk = isAsking && !isKept
  if (made === null) {
    return (
      <Dialog title={title} {...(lead === undefined ? {} : { lead })} isSensitive onClose={onClose}>
        {children}
      </Dialog>
    )
  }
  return (
    <Dialog title={`Key “${made.name}” is ready`} lead="It works now." onClose={leave}>
      <div className="flex flex-col gap-4">
        <KeySecret made={made} onKept={() => setKept(true)} />
        {mustAsk && (
          <p role="alert" className="rounded bg-warning-soft px-3 py-2 text-warning">
            You have not copied the key. It is not shown again after you close this.
          </p>
        )}
        <div className="flex justify-end">
          <Button look={mustAsk ? 'secondary' : 'primary'} onClick={leave}>
            {mustAsk ? 'Close all the same' : 'Done'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
