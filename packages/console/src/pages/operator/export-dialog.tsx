import { consoleEndpoints } from '@svc/contract'
import { useMutation } from '@tanstack/react-query'
import { startExport } from '../../api/account-export.ts'
import type { Account } from '../../api/operator.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { ReasonField } from './reason-field.tsx'

export function ExportDialog({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const run = useMutation({
    mutationFn: (reason: string) => {
      const place = consoleEndpoints.exportOperatorAccount.path.replace('{account_id}', account.id)
      return startExport(`${place}?${new URLSearchParams({ reason }).toString()}`)
    },
    onSuccess: () => {
      toast.done('The export is on its way: the browser saves it as it comes.')
      onClose()
    },
  })
  return (
    <ActionDialog
      isSensitive
      title={`Export the data of “${account.name}”`}
      lead="One JSON file: account, teams, members, keys without their secrets, credits, requests, deposits, emails."
      onClose={onClose}
      action="Export"
      run={run}
      onSubmit={(text) => run.mutate(text('reason'))}
    >
      <p className="text-soft">
        It holds names and addresses of people. What was said in requests is not in it: the gateway keeps none of it.
      </p>
      <ReasonField />
    </ActionDialog>
  )
}
