import { consoleEndpoints } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { accountQuery } from '../../api/people.ts'
import { ActionForm } from '../../ui/action-form.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { useChange } from '../../ui/use-change.ts'

export type FactorStep = 'on' | 'codes' | 'off'

interface StepProps {
  readonly onClose: () => void
  readonly onCodes: (codes: readonly string[]) => void
}

const TITLES = {
  on: 'Turn on a second factor',
  codes: 'New recovery codes',
  off: 'Turn off the second factor',
} as const

export function SecondFactorDialog({ step, onClose }: { readonly step: FactorStep; readonly onClose: () => void }) {
  const [codes, setCodes] = useState<readonly string[] | null>(null)
  const props = { onClose, onCodes: setCodes }
  return (
    <Dialog title={codes === null ? TITLES[step] : 'Keep these codes'} isSensitive onClose={onClose}>
      {codes !== null && <RecoveryCodes codes={codes} onClose={onClose} />}
      {codes === null && step === 'on' && <TurnOn {...props} />}
      {codes === null && step === 'codes' && <NewCodes {...props} />}
      {codes === null && step === 'off' && <TurnOff {...props} />}
    </Dialog>
  )
}

/** The secret is asked for when the dialog opens: each time a new one, until a code of it is confirmed. */
function TurnOn({ onClose, onCodes }: StepProps) {
  const { data, error } = useQuery({
    queryKey: ['account', 'new-factor'],
    queryFn: () => consoleApi.call(consoleEndpoints.beginSecondFactor),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  })
  const confirm = useChange({
    change: (code: string) => consoleApi.call(consoleEndpoints.confirmSecondFactor, { body: { code } }),
    refresh: [accountQuery.queryKey, ['sessions']],
    onDone: ({ codes }) => onCodes(codes),
  })
  if (error !== null) return <Failure error={error} />
  if (data === undefined) return <Skeleton className="h-64 w-full" />
  return (
    <ActionForm action="Turn it on" run={confirm} onSubmit={(text) => confirm.mutate(text('code'))} onClose={onClose}>
      <p>Scan this with an authenticator app, and type the code that it shows.</p>
      <QrCode text={data.address} label="The secret for your authenticator app" />
      <div className="flex flex-wrap items-center gap-2 text-[12px] text-soft">
        <span>
          Or type it: <code className="font-mono break-all">{data.secret}</code>
        </span>
        <CopyButton look="quiet" text={data.secret} what="the secret" />
      </div>
      <CodeField hint="All your other sessions are signed out." />
    </ActionForm>
  )
}

function NewCodes({ onClose, onCodes }: StepProps) {
  const renew = useChange({
    change: (code: string) => consoleApi.call(consoleEndpoints.renewRecoveryCodes, { body: { code } }),
    refresh: [accountQuery.queryKey],
    onDone: ({ codes }) => onCodes(codes),
  })
  return (
    <ActionForm action="Make new codes" run={renew} onSubmit={(text) => renew.mutate(text('code'))} onClose={onClose}>
      <CodeField hint="The codes that you have now stop working." />
    </ActionForm>
  )
}

function TurnOff({ onClose }: StepProps) {
  const remove = useChange({
    change: (code: string) => consoleApi.call(consoleEndpoints.removeSecondFactor, { body: { code } }),
    refresh: [accountQuery.queryKey],
    done: 'The second factor is off.',
    onDone: onClose,
  })
  return (
    <ActionForm
      action="Turn it off"
      look="danger"
      run={remove}
      onSubmit={(text) => remove.mutate(text('code'))}
      onClose={onClose}
    >
      <CodeField hint="Six digits of your app, or a recovery code." />
    </ActionForm>
  )
}

function CodeField({ hint }: { readonly hint: string }) {
  return (
    <TextField
      label="Code"
      name="code"
      required
      autoFocus
      autoComplete="one-time-code"
      spellCheck={false}
      maxLength={64}
      className="font-mono"
      hint={hint}
    />
  )
}

function RecoveryCodes({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) {
  const text = codes.join('\n')
  return (
    <div className="flex flex-col gap-4">
      <p>Without your app each of these signs you in once. They are shown now, and never again.</p>
      <pre aria-label="Recovery codes" className="overflow-x-auto rounded bg-sunken p-3 font-mono">
        {text}
      </pre>
      <div className="flex justify-end gap-2">
        <CopyButton text={text} what="the codes">
          Copy the codes
        </CopyButton>
        <Button look="secondary" onClick={onClose}>
          I have kept them
        </Button>
      </div>
    </div>
  )
}
