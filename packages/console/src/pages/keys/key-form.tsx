import { KEY_NAME_LENGTH_MAX, type TeamKey } from '@svc/contract'
import { useId, useState } from 'react'
import { useCan } from '../../api/session.ts'
import { ActionForm, type ActionFormProps } from '../../ui/action-form.tsx'
import { TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { limitOf } from '../../ui/limit-text.ts'
import { exactTimeText } from '../../ui/time.tsx'
import { ModelPicker } from './model-picker.tsx'
import { RateField } from './rate-field.tsx'

export interface KeyDraft {
  readonly name: string
  readonly budget: { readonly credits: string; readonly period: TeamKey['budget_period'] } | null
  /** Seconds since the epoch; null for never; undefined to leave it as it is. */
  readonly expires_at: number | null | undefined
  readonly models: string[] | null
  /** Null for the team's limit; undefined to leave it as it is. */
  readonly requests_per_minute: number | null | undefined
  /** Undefined for a key that is there already: whose it is stays. */
  readonly kind: 'personal' | 'service' | undefined
}

const KINDS = [
  { value: 'personal', text: 'You: it ends when you leave the team' },
  { value: 'service', text: 'The team: for programs in production' },
] as const

const PERIODS = [
  { value: 'none', text: 'in all' },
  { value: 'daily', text: 'each day' },
  { value: 'weekly', text: 'each week' },
  { value: 'monthly', text: 'each month' },
] as const

const DAY_SECONDS = 86_400
/** Leaves the end as it is. */
const KEEP = 'keep'
const EXPIRIES = [
  { value: '', text: 'Never' },
  { value: '7', text: 'In 7 days' },
  { value: '30', text: 'In 30 days' },
  { value: '90', text: 'In 90 days' },
  { value: '365', text: 'In a year' },
] as const

function expiryOf(picked: string): number | null | undefined {
  if (picked === KEEP) return undefined
  return picked === '' ? null : Math.floor(Date.now() / 1_000) + Number(picked) * DAY_SECONDS
}

function draftOf(text: (name: string) => string, models: readonly string[], present: PresentKey | null): KeyDraft {
  const credits = text('budget').trim().replaceAll(/[\s']/g, '')
  const period = PERIODS.find(({ value }) => value === text('period'))?.value ?? 'none'
  const rate = limitOf(text('rate'))
  return {
    name: text('name'),
    budget: credits === '' ? null : { credits, period },
    expires_at: expiryOf(text('expiry')),
    models: models.length === 0 ? null : [...models],
    // One that the team's has fallen below stays, while other things of the key are changed.
    requests_per_minute: rate === present?.requests_per_minute ? undefined : rate,
    kind: present === null ? (text('kind') === 'service' ? 'service' : 'personal') : undefined,
  }
}

type PresentKey = Omit<KeyDraft, 'expires_at' | 'requests_per_minute' | 'kind'> &
  Pick<TeamKey, 'expires_at' | 'requests_per_minute'>

interface KeyFormProps {
  /** The key as it is; null for a new one. */
  readonly present: PresentKey | null
  readonly submitText: string
  readonly run: ActionFormProps['run']
  readonly onSubmit: (draft: KeyDraft) => void
  readonly onClose: () => void
}

/** Name, and if wanted a budget, an end, a limit and the models of a key. */
export function KeyForm({ present, submitText, run, onSubmit, onClose }: KeyFormProps) {
  const handlesAll = useCan('keys:all')
  const [models, setModels] = useState<readonly string[]>(present?.models ?? [])
  const budgetNote = useId()
  const end = present?.expires_at ?? null
  const kept = end === null ? [] : [{ value: KEEP, text: exactTimeText(end * 1_000) }]
  return (
    <ActionForm
      action={submitText}
      run={run}
      onSubmit={(text) => onSubmit(draftOf(text, models, present))}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={KEY_NAME_LENGTH_MAX}
        placeholder="laptop"
        autoFocus
        autoComplete="off"
        defaultValue={present?.name}
      />
      {present === null && handlesAll && <SelectField label="Belongs to" name="kind" options={KINDS} />}
      <div className="grid grid-cols-[minmax(0,1fr)_10.5rem] items-start gap-x-3 gap-y-1.5">
        <TextField
          label="Budget in credits"
          name="budget"
          inputMode="decimal"
          pattern="[0-9 ']+([.][0-9]{1,9})?"
          wants="A number of credits, such as 2.5"
          placeholder="no limit"
          autoComplete="off"
          defaultValue={present?.budget?.credits}
          aria-describedby={budgetNote}
        />
        <SelectField
          label="Period"
          name="period"
          options={PERIODS}
          defaultValue={present?.budget?.period ?? 'monthly'}
        />
        <p id={budgetNote} className="col-span-2 text-[12px] text-soft">
          1,000 credits are 1 USD. Once it is reached, further requests are refused.
        </p>
      </div>
      <div className="grid items-start gap-4 sm:grid-cols-2 sm:gap-3">
        <SelectField label="Ends" name="expiry" options={[...kept, ...EXPIRIES]} />
        <RateField own={present?.requests_per_minute ?? null} />
      </div>
      <ModelPicker models={models} onChange={setModels} />
    </ActionForm>
  )
}
