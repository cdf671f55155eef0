import { consoleEndpoints } from '@svc/contract'
import { useState } from 'react'
import { consoleApi } from '../../api/client.ts'
import { named } from '../../api/named.ts'
import { newId } from '../../api/new-id.ts'
import type { Account } from '../../api/operator.ts'
import { ActionDialog } from '../../ui/action-dialog.tsx'
import { Credits } from '../../ui/credits.tsx'
import { TextField } from '../../ui/field.tsx'
import { ReasonField } from './reason-field.tsx'
import { useOperatorAction } from './use-operator-action.ts'

const WORDS = {
  grant: {
    title: 'Give credits to',
    label: 'Credits to give',
    pattern: String.raw`[0-9 ']+([.][0-9]{1,9})?`,
    button: 'Give the credits',
    said: 'The credits are given.',
  },
  adjustment: {
    title: 'Correct the balance of',
    label: 'Credits to add, or to take with a minus',
    pattern: String.raw`-?[0-9 ']+([.][0-9]{1,9})?`,
    button: 'Correct the balance',
    said: 'The balance is corrected.',
  },
} as const

interface CreditsDialogProps {
  readonly account: Account
  readonly kind: keyof typeof WORDS
  readonly onClose: () => void
}

/** Gives credits, or corrects a balance: never below what is held. */
export function CreditsDialog({ account, kind, onClose }: CreditsDialogProps) {
  const words = WORDS[kind]
  // Names the effect in the books, so that two clicks are one.
  const [id] = useState(newId)
  const change = useOperatorAction(
    (body: { readonly credits: string; readonly reason: string }, name) =>
      consoleApi.call(
        consoleEndpoints.changeAccountCredits,
        { path: { account_id: account.id }, body: { ...body, kind, id } },
        named(name),
      ),
    words.said,
    onClose,
  )
  return (
    <ActionDialog
      isSensitive
      title={`${words.title} “${account.name}”`}
      lead={
        <>
          Its balance is <Credits value={account.credits} withUsd isBalance />.
        </>
      }
      onClose={onClose}
      action={words.button}
      run={change}
      onSubmit={(text) => change.mutate({ credits: text('credits').replaceAll(/[\s']/g, ''), reason: text('reason') })}
    >
      <TextField
        label={words.label}
        name="credits"
        inputMode="decimal"
        pattern={words.pattern}
        wants="A number of credits, such as 2.5"
        required
        autoFocus
        autoComplete="off"
        placeholder="1000"
        hint={
          kind === 'grant'
            ? '1,000 credits are 1 USD.'
            : '1,000 credits are 1 USD. Nothing is taken below what is held for requests that run.'
        }
      />
      <ReasonField hint="The account’s owner reads it in the statement." />
    </ActionDialog>
  )
}
