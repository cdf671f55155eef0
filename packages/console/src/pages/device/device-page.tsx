import { consoleEndpoints, type WaitingDevice } from '@svc/contract'
import { type FormEvent, useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { FreshGate } from '../../ui/fresh-gate.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { useAction } from '../../ui/use-action.ts'
import { DeviceDecision, type Decided } from './device-decision.tsx'

/** A person signs a terminal in: they type its code, read who asks, and decide. */
export function DevicePage() {
  const [found, setFound] = useState<{ readonly code: string; readonly device: WaitingDevice } | null>(null)
  const [decided, setDecided] = useState<Decided | null>(null)
  return (
    <Page title="Sign in a terminal" lead="Run svc login in the terminal: it shows the code that belongs here.">
      <div className="max-w-lg">
        <Card>
          {decided !== null ? (
            <p role="status">{textOf(decided)}</p>
          ) : found === null ? (
            <CodeForm onFound={(code, device) => setFound({ code, device })} />
          ) : (
            <FreshGate>
              <DeviceDecision {...found} onBack={() => setFound(null)} onDecided={setDecided} />
            </FreshGate>
          )}
        </Card>
      </div>
    </Page>
  )
}

function textOf({ keyName }: Decided): string {
  if (keyName === null) return 'Refused. The terminal got no key; you can close this page.'
  return `Done: go back to your terminal. Its key is listed as “${keyName}”, where you can change or revoke it.`
}

function CodeForm({ onFound }: { readonly onFound: (code: string, device: WaitingDevice) => void }) {
  const find = useAction({
    act: async (code: string) => ({
      code,
      device: await consoleApi.call(consoleEndpoints.findDevice, { body: { user_code: code } }),
    }),
    onSuccess: ({ code, device }) => onFound(code, device),
  })
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    find.mutate(formText(new FormData(event.currentTarget), 'code'))
  }
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      <TextField
        label="Code"
        name="code"
        required
        autoFocus
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={40}
        placeholder="WDJB-MJHT"
        className="font-mono uppercase"
        hint="Type it as your own terminal shows it. Never enter a code that somebody sent you."
      />
      <Failure error={find.error} />
      <Button type="submit" className="self-start" isBusy={find.isPending}>
        Continue
      </Button>
    </form>
  )
}
