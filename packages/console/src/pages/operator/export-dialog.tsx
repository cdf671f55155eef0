import { ApiError, consoleEndpoints } from '@svc/contract'
import { useMutation } from '@tanstack/react-query'
import { consoleApi } from '../../api/client.ts'
import type { Account } from '../../api/operator.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { ReasonField } from './reason-field.tsx'

/**
 * Lets the browser save the document while it comes: however long the account's history is, none of it is kept in the
 * page. Refusals that a page can explain are found out first; a file that breaks off is marked so by the browser.
 *
 * @throws {ApiError} where the sign-in is too long ago.
 */
async function startDownload(accountId: string, reason: string): Promise<void> {
  const { user } = await consoleApi.call(consoleEndpoints.getConsoleSession, {})
  if (user === null || user.fresh_until * 1_000 <= Date.now()) throw signInAgain()
  const link = document.createElement('a')
  const place = consoleEndpoints.exportOperatorAccount.path.replace('{account_id}', accountId)
  link.href = `/api${place}?${new URLSearchParams({ reason }).toString()}`
  link.download = ''
  link.click()
}

function signInAgain(): ApiError {
  const nothing = { type: null, param: null, details: {}, requestId: null, retryAfterMs: null }
  const message = 'Sign in again to do this: your last sign-in is too long ago.'
  return new ApiError({ ...nothing, status: 401, code: 'sign_in_again', message })
}

export function ExportDialog({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const run = useMutation({
    mutationFn: (reason: string) => startDownload(account.id, reason),
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
