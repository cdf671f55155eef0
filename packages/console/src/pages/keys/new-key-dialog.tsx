import { useCreateKey } from './key-changes.ts'
import { KeyForm } from './key-form.tsx'
import { SecretDialog } from './secret-dialog.tsx'

/** Name, and if wanted a budget, an end and the models; then the key, once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const create = useCreateKey()
  return (
    <SecretDialog
      title="New key"
      lead="A key spends the credits of this team. Give each program its own."
      made={create.data ?? null}
      onClose={onClose}
    >
      <KeyForm
        present={null}
        submitText="Make the key"
        run={create}
        onSubmit={(draft) => create.mutate(draft)}
        onClose={onClose}
      />
    </SecretDialog>
  )
}
