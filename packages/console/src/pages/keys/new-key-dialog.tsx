import { type FormEvent, useState } from 'react'
import { useQuery } from '@tanstack/react-query'
import { modelsQuery } from '../../api/team.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { SelectField } from '../../ui/select-field.tsx'
import { type KeyDraft, useCreateKey } from './key-changes.ts'
import { SecretDialog } from './secret-dialog.tsx'

const PERIODS = [
  { value: 'none', text: 'in all' },
  { value: 'daily', text: 'each day' },
  { value: 'weekly', text: 'each week' },
  { value: 'monthly', text: 'each month' },
] as const

const DAY_SECONDS = 86_400
const EXPIRIES = [
  { value: '', text: 'Never' },
  { value: '7', text: 'In 7 days' },
  { value: '30', text: 'In 30 days' },
  { value: '90', text: 'In 90 days' },
  { value: '365', text: 'In a year' },
] as const

function draftOf(fields: FormData, models: readonly string[]): KeyDraft {
  const credits = formText(fields, 'budget').trim().replaceAll(/[\s']/g, '')
  const days = formText(fields, 'expiry')
  const period = PERIODS.find(({ value }) => value === formText(fields, 'period'))?.value ?? 'none'
  return {
    name: formText(fields, 'name'),
    budget: credits === '' ? null : { credits, period },
    expires_at: days === '' ? null : Math.floor(Date.now() / 1_000) + Number(days) * DAY_SECONDS,
    models: models.length === 0 ? null : [...models],
  }
}

/** Name, and if wanted a budget, an end and the models; then the key, once. */
export function NewKeyDialog({ onClose }: { readonly onClose: () => void }) {
  const create = useCreateKey()
  const [models, setModels] = useState<readonly string[]>([])
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    create.mutate(draftOf(new FormData(event.currentTarget), models))
  }
  return (
    <SecretDialog
      title="New key"
      lead="A key spends the credits of this team. Give each program its own."
      made={create.data ?? null}
      onClose={onClose}
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Name" name="name" required maxLength={64} placeholder="laptop" autoFocus autoComplete="off" />
        <div className="grid grid-cols-[1fr_9rem] items-start gap-3">
          <TextField
            label="Budget in credits"
            name="budget"
            inputMode="decimal"
            pattern="[0-9 ']+([.][0-9]{1,9})?"
            placeholder="no limit"
            autoComplete="off"
            hint="1,000 credits are 1 USD. What is reached refuses further requests."
          />
          <SelectField label="Period" name="period" options={PERIODS} defaultValue="monthly" />
        </div>
        <SelectField label="Ends" name="expiry" options={EXPIRIES} />
        <ModelPicker models={models} onChange={setModels} />
        <Failure error={create.error} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" isBusy={create.isPending}>
            Make the key
          </Button>
        </div>
      </form>
    </SecretDialog>
  )
}

interface ModelPickerProps {
  readonly models: readonly string[]
  readonly onChange: (models: readonly string[]) => void
}

function ModelPicker({ models, onChange }: ModelPickerProps) {
  const { data } = useQuery(modelsQuery)
  const known = data?.data.map(({ id }) => id) ?? []
  const [text, setText] = useState('')
  const pick = (typed: string): void => {
    if (!known.includes(typed) || models.includes(typed)) {
      setText(typed)
      return
    }
    onChange([...models, typed])
    setText('')
  }
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="Models"
        list="known-models"
        placeholder={models.length === 0 ? 'all models' : 'add another'}
        value={text}
        onChange={(event) => pick(event.target.value)}
        autoComplete="off"
        hint="Only these can be used with the key. Leave it empty to allow all."
      />
      <datalist id="known-models">
        {known.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      {models.length > 0 && (
        <ul className="flex flex-wrap gap-1.5">
          {models.map((id) => (
            <li key={id}>
              <button
                type="button"
                className="rounded bg-accent-soft px-2 py-0.5 font-mono text-[12px] hover:line-through"
                aria-label={`Remove ${id}`}
                onClick={() => onChange(models.filter((model) => model !== id))}
              >
                {id}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
