import { consoleEndpoints } from '@svc/contract'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { startExport } from '../../api/account-export.ts'
import { consoleApi } from '../../api/client.ts'
import { useTeam } from '../../api/session.ts'
import { balanceQuery } from '../../api/team.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { Credits } from '../../ui/credits.tsx'
import { TextField } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useChange } from '../../ui/use-change.ts'

/** What is stored about the account: taken along as a file, and erased. Only an owner may. */
export function AccountDataCard() {
  const team = useTeam()
  const [open, setOpen] = useState<'export' | 'erase' | null>(null)
  const close = (): void => setOpen(null)
  return (
    <Card title="Account data">
      <p className="mb-3 text-soft">
        Take along all that is stored about this account, or have it erased: people, keys, files, stored responses and
        batches go, charges and payments stay without a name.
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="secondary" onClick={() => setOpen('export')}>
          Export
        </Button>
        <Button look="warning" onClick={() => setOpen('erase')}>
          Erase the account
        </Button>
      </div>
      {open === 'export' && <ExportOwnDialog teamId={team.id} onClose={close} />}
      {open === 'erase' && <EraseDialog onClose={close} />}
    </Card>
  )
}

function ExportOwnDialog({ teamId, onClose }: { readonly teamId: string; readonly onClose: () => void }) {
  const run = useMutation({
    mutationFn: () => startExport(consoleEndpoints.exportTeamAccount.path.replace('{team_id}', teamId)),
    onSuccess: () => {
      toast.done('The export is on its way: the browser saves it as it comes.')
      onClose()
    },
  })
  return (
    <ActionDialog
      isSensitive
      title="Export the account"
      lead="One JSON file: account, teams, members, keys without their secrets, credits, requests, deposits, emails."
      onClose={onClose}
      action="Export"
      run={run}
      onSubmit={() => run.mutate()}
    >
      <p className="text-soft">
        It holds names and addresses of people. Contents of files and stored responses are fetched through the API.
      </p>
    </ActionDialog>
  )
}

function EraseDialog({ onClose }: { readonly onClose: () => void }) {
  const team = useTeam()
  const { credits } = useSuspenseQuery(balanceQuery(team.id)).data
  const [typed, setTyped] = useState('')
  const [isForfeited, setForfeited] = useState(false)
  const erase = useChange({
    change: () =>
      consoleApi.call(consoleEndpoints.eraseTeamAccount, {
        path: { team_id: team.id },
        body: { team_name: team.name, forfeits_credits: isForfeited },
      }),
    refresh: [],
    // All that was shown is gone with it, and perhaps the person who saw it.
    onDone: () => location.assign('/console'),
  })
  return (
    <ActionDialog
      isSensitive
      title={`Erase ${team.name}?`}
      lead="This cannot be undone."
      onClose={onClose}
      action="Erase for good"
      look="danger"
      cancel="Keep it"
      isDisabled={typed.trim() !== team.name.trim()}
      run={erase}
      onSubmit={() => erase.mutate()}
    >
      <ul className="flex list-disc flex-col gap-1.5 pl-5 text-soft">
        <li>Every key ends at once. Requests, batches and deposits must have ended before.</li>
        <li>
          Names, addresses, sign-ins, invitations, names of keys, files, batches and stored responses are removed.
          People who are in no other team lose their way in.
        </li>
        <li>Charges, payments and receipts stay, without a name. Receipts that you have kept can still be checked.</li>
      </ul>
      {credits !== '0' && (
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-[var(--accent)]"
            checked={isForfeited}
            onChange={(event) => setForfeited(event.target.checked)}
          />
          <span>
            Give up the <Credits value={credits} isBalance /> that are left
          </span>
        </label>
      )}
      <TextField
        label={`Type “${team.name}” to go on`}
        value={typed}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
      />
    </ActionDialog>
  )
}
