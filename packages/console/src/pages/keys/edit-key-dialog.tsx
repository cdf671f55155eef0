import type { Exact, TeamKey } from '@svc/contract'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useChangeKey } from './key-changes.ts'
import { KeyForm } from './key-form.tsx'

interface EditKeyDialogProps {
  readonly target: Exact<TeamKey>
  readonly onClose: () => void
}

/** Changes what a key may do; its secret and what it has spent stay. */
export function EditKeyDialog({ target, onClose }: EditKeyDialogProps) {
  const change = useChangeKey(target.id)
  const { budget_credits: credits, budget_period: period } = target
  return (
    <Dialog
      isSensitive
      title={`Change “${target.name}”`}
      lead="It holds from the next request on. A key that was replaced and its successor share budget and limit."
      onClose={onClose}
    >
      <KeyForm
        present={{ ...target, budget: credits === null ? null : { credits, period } }}
        submitText="Save"
        run={change}
        onSubmit={(draft) =>
          change.mutate(draft, {
            onSuccess: () => {
              toast.done(`Key “${draft.name}” is changed.`)
              onClose()
            },
          })
        }
        onClose={onClose}
      />
    </Dialog>
  )
}
