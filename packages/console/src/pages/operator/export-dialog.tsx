import { consoleEndpoints } from '@svc/contract'
import { useMutation } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { consoleApi } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { formText } from '../../ui/form-text.ts'
import { toast } from '../../ui/toasts.tsx'
import type { Account } from './account-page.tsx'
import { ReasonField } from './reason-field.tsx'

/** Reads the whole document, so that one that breaks off is never taken for a whole one. */
async function fetchExport(accountId: string, reason: string): Promise<Blob> {
  const { bytes } = await consoleApi.open(consoleEndpoints.exportOperatorAccount, {
    path: { account_id: accountId },
    query: { reason },
  })
  const pieces: BlobPart[] = []
  for await (const piece of bytes) pieces.push(new Uint8Array(piece))
  return new Blob(pieces, { type: 'application/json' })
}

export function ExportDialog({ account, onClose }: { readonly account: Account; readonly onClose: () => void }) {
  const run = useMutation({
    mutationFn: (reason: string) => fetchExport(account.id, reason),
    onSuccess: (document_) => {
      const link = document.createElement('a')
      link.href = URL.createObjectURL(document_)
      link.download = `account-${account.id}-${new Date().toISOString().slice(0, 10)}.json`
      link.click()
      URL.revokeObjectURL(link.href)
      toast.done('The export is saved.')
      onClose()
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    run.mutate(formText(new FormData(event.currentTarget), 'reason'))
  }
  return (
    <Dialog
      title={`Export the data of “${account.name}”`}
      lead="One JSON file: account, teams, members, keys without their secrets, credits, requests, deposits, letters."
      onClose={onClose}
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <p className="text-soft">
          It holds names and addresses of people. What was said in requests is not in it: the gateway keeps none of it.
        </p>
        <ReasonField />
        <Failure error={run.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" isBusy={run.isPending}>
            Export
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
