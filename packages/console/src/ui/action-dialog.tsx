import type { ReactNode } from 'react'
import { ActionForm, type ActionFormProps } from './action-form.tsx'
import { Dialog } from './dialog.tsx'

interface ActionDialogProps extends ActionFormProps {
  readonly title: string
  /** One sentence below the title. */
  readonly lead?: ReactNode
  /** See `Dialog`. */
  readonly isSensitive?: boolean
}

/** Asks before something is done, and does it. */
export function ActionDialog({ title, lead, isSensitive = false, ...form }: ActionDialogProps) {
  return (
    <Dialog title={title} lead={lead} isSensitive={isSensitive} onClose={form.onClose}>
      <ActionForm {...form} />
    </Dialog>
  )
}
