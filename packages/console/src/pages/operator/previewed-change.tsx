/** A change in two steps: what it shall be, and what follows from that, with a reason. */
import { type ReactNode, useState } from 'react'
import { ActionForm, type ActionFormProps } from '../../ui/action-form.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useAction } from '../../ui/use-action.ts'
import { ReasonField } from './reason-field.tsx'
import { useOperatorAction } from './use-operator-action.ts'

interface Steps<Change, Preview> {
  readonly look: (change: Change) => Promise<Preview>
  readonly make: (body: { readonly change: Change; readonly reason: string }) => Promise<unknown>
  readonly onDone: () => void
}

/** @returns `seen` once the change was looked at, and until the person goes back; null before. */
export function usePreviewedChange<Change, Preview>({ look, make, onDone }: Steps<Change, Preview>) {
  const [change, setChange] = useState<Change | null>(null)
  const preview = useAction({ act: (asked: Change) => look(asked), onSuccess: (_found, asked) => setChange(asked) })
  const apply = useOperatorAction(make, 'Saved: the change is in force.', onDone)
  const found = preview.data
  return {
    preview,
    apply,
    seen: change === null || found === undefined ? null : { change, found },
    back: () => setChange(null),
  }
}

interface PreviewDialogProps extends Pick<ActionFormProps, 'action' | 'run'> {
  readonly title: string
  readonly onApply: (reason: string) => void
  readonly onBack: () => void
  readonly onClose: () => void
  /** What follows from the change. */
  readonly children: ReactNode
}

/** The second step. */
export function PreviewDialog({ title, action, run, onApply, onBack, onClose, children }: PreviewDialogProps) {
  return (
    <Dialog title={title} lead="What this changes. Nothing is changed yet." look="wide" isSensitive onClose={onClose}>
      <ActionForm action={action} cancel="Back" run={run} onClose={onBack} onSubmit={(text) => onApply(text('reason'))}>
        {children}
        <ReasonField />
      </ActionForm>
    </Dialog>
  )
}
