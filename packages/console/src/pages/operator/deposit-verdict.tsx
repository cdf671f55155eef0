import { consoleEndpoints } from '@svc/contract'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { ActionForm } from '../../ui/action-form.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import type { Deposit } from './deposits-page.tsx'
import { ReasonField } from './reason-field.tsx'
import { useOperatorAction } from './use-operator-action.ts'

type Decision = 'release' | 'reject'

const RELEASABLE: readonly string[] = ['under_review', 'rejected']
const REJECTABLE: readonly string[] = ['under_review', 'confirming', 'seen', 'reversed']

const WORDS = {
  release: {
    said: 'The deposit is released: it is credited at the next look at the chain.',
    text: 'It is credited once the gateway has looked at the chain again. Block and amount are still checked.',
    button: 'Release it',
  },
  reject: {
    said: 'The deposit is rejected.',
    text: 'It is never credited, unless it is released later. What was paid stays at its address.',
    button: 'Reject it',
  },
} as const

/** Releases or rejects a deposit, where that can be. */
export function DepositVerdict({ deposit }: { readonly deposit: Deposit }) {
  const [open, setOpen] = useState<Decision | null>(null)
  const canRelease = RELEASABLE.includes(deposit.status)
  const canReject = REJECTABLE.includes(deposit.status)
  if (open !== null) return <VerdictForm deposit={deposit} decision={open} onClose={() => setOpen(null)} />
  if (!canRelease && !canReject) return null
  return (
    <div className="flex gap-2">
      {canRelease && <Button onClick={() => setOpen('release')}>Release …</Button>}
      {canReject && (
        <Button look="secondary" onClick={() => setOpen('reject')}>
          Reject …
        </Button>
      )}
    </div>
  )
}

interface VerdictFormProps {
  readonly deposit: Deposit
  readonly decision: Decision
  readonly onClose: () => void
}

function VerdictForm({ deposit, decision, onClose }: VerdictFormProps) {
  const { said, text, button } = WORDS[decision]
  const decide = useOperatorAction(
    (words: { readonly reason: string; readonly price: string }) =>
      consoleApi.call(consoleEndpoints.decideOperatorDeposit, {
        path: { deposit_id: deposit.id },
        body: { decision, reason: words.reason, ...(words.price === '' ? {} : { price_usd: words.price }) },
      }),
    said,
    onClose,
  )
  return (
    <ActionForm
      className="rounded border border-line p-4"
      action={button}
      look={decision === 'reject' ? 'danger' : 'primary'}
      run={decide}
      onSubmit={(text) => decide.mutate({ reason: text('reason'), price: text('price').trim() })}
      onClose={onClose}
    >
      <p className="text-soft">{text}</p>
      {decision === 'release' && deposit.credits === null && (
        <TextField
          label={`Price in USD for one ${deposit.asset}`}
          name="price"
          inputMode="decimal"
          pattern="[0-9]{1,9}([.][0-9]{1,18})?"
          wants="A number, such as 12.5"
          required
          autoComplete="off"
          hint="No price was found for the time of its block."
        />
      )}
      <ReasonField />
    </ActionForm>
  )
}
