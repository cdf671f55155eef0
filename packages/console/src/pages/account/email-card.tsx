import { consoleEndpoints, EMAIL_ADDRESS_LENGTH_MAX } from '@svc/contract'
import { type FormEvent, useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Card } from '../../ui/page.tsx'
import { useChange } from '../../ui/use-change.ts'
import { WhereEmailsGo } from '../../ui/where-emails-go.tsx'

/**
 * For a person who signed in by a wallet: an address that signs them in as well, once they have opened an email to it.
 */
export function EmailCard() {
  const { gateway } = useSession()
  const [sentTo, setSentTo] = useState<string | null>(null)
  const ask = useChange({
    change: async (email: string) => {
      await consoleApi.call(consoleEndpoints.askForEmail, { body: { email } })
      return email
    },
    refresh: [],
    onDone: setSentTo,
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    ask.mutate(formText(new FormData(event.currentTarget), 'email').trim())
  }
  return (
    <Card title="Email address">
      {sentTo === null ? (
        <form className="flex flex-col gap-3" onSubmit={submit}>
          <p className="text-soft">
            With an address you can also sign in by a link, be invited to teams, and get an email when credits run low.
          </p>
          <TextField
            label="E-mail"
            name="email"
            type="email"
            autoComplete="email"
            required
            maxLength={EMAIL_ADDRESS_LENGTH_MAX}
          />
          <Failure error={ask.error} />
          <Button type="submit" look="secondary" className="self-start" isBusy={ask.isPending}>
            Send a link to it
          </Button>
        </form>
      ) : (
        <div className="flex flex-col gap-3" role="status">
          <p>
            An email is on its way to <strong>{sentTo}</strong>. Open its link in this browser within 15 minutes: the
            address counts from then on.
          </p>
          <WhereEmailsGo folder={gateway.mail_folder} />
          <Button look="secondary" className="self-start" onClick={() => setSentTo(null)}>
            Use another address
          </Button>
        </div>
      )}
    </Card>
  )
}
