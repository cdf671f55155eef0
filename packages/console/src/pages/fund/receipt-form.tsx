import { consoleEndpoints, isPlainEmailAddress, type NotifyReply } from '@svc/contract'
import { type FormEvent, useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import type { Deposit } from '../../api/funding.ts'
import { useSignedIn, useTeam } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { onItsWay } from '../../ui/email-text.ts'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { useAction } from '../../ui/use-action.ts'
import { durationText } from './why-it-waits.ts'

/** Mails the receipt of a credited deposit. Its content comes from the gateway's records alone. */
export function ReceiptForm({ deposit }: { readonly deposit: Deposit }) {
  const team = useTeam()
  const { user, gateway } = useSignedIn()
  const [problem, setProblem] = useState<string | null>(null)
  const send = useAction({
    act: (email: string, name) =>
      consoleApi.call(
        consoleEndpoints.sendTeamReceipt,
        { path: { team_id: team.id, deposit_id: deposit.id }, body: { email } },
        named(name),
      ),
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const email = formText(new FormData(event.currentTarget), 'email').trim()
    const isPlain = isPlainEmailAddress(email)
    setProblem(isPlain ? null : 'One plain address, such as name@example.com.')
    if (isPlain) send.mutate(email)
  }
  return (
    <form className="flex flex-col gap-3 border-t border-line pt-5" onSubmit={submit} noValidate>
      <TextField
        label="Mail the receipt to"
        name="email"
        type="email"
        autoComplete="email"
        defaultValue={user.email ?? ''}
        problem={problem}
      />
      <Button type="submit" look="secondary" className="self-start" isBusy={send.isPending}>
        Send the receipt
      </Button>
      <Failure error={send.error} />
      {send.data !== undefined && <p role="status">{outcomeText(send.data, gateway.mail_folder)}</p>}
    </form>
  )
}

const REFUSALS: Readonly<Record<NonNullable<NotifyReply['reason']>, string>> = {
  throttled: 'This receipt went to that address before, or too many were sent.',
  unknown_deposit: 'The deposit is not credited yet.',
  mismatch: 'The deposit is another by now. Load this page again.',
  disabled: 'This gateway sends no mail.',
  queued: 'The mail server could not be reached. The receipt is sent as soon as it can be.',
  refused: 'The mail server takes no mail for that address.',
  suppressed: 'That address wants no mail from here.',
}

function outcomeText({ sent, reason, retry_after: retryAfter }: NotifyReply, folder: string | null): string {
  if (sent || reason === undefined) return onItsWay('The receipt is on its way.', folder)
  const wait = retryAfter === undefined ? '' : ` Try again in ${durationText(retryAfter)}.`
  return `${REFUSALS[reason]}${wait}`
}
