import { BRAND_LENGTH_MAX, consoleEndpoints, type OperatorSettings, TERMS_LENGTH_MAX } from '@svc/contract'
import { useQuery } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { consoleApi } from '../../api/client.ts'
import { operatorSettingsQuery } from '../../api/operator.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { formText } from '../../ui/form-text.ts'
import { Card, Page } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { BusinessFields, readBusiness } from './business-fields.tsx'
import { OperatorsCard } from './operators-card.tsx'
import { SetBy, type Who } from './setting-facts.tsx'
import { RowsSkeleton } from './rows-skeleton.tsx'
import { useOperatorAction } from './use-operator-action.ts'

const SIGNUPS = [
  { value: 'closed', text: 'Closed: only operators create accounts' },
  { value: 'invite', text: 'Who was invited to a team' },
  { value: 'open', text: 'Anyone, by email or wallet' },
] as const

export function SettingsPage() {
  const { data, error } = useQuery(operatorSettingsQuery)
  return (
    <Page title="Settings" lead="Everything else is in the configuration.">
      <div className="flex max-w-2xl flex-col gap-6">
        <Failure error={error} />
        {data === undefined && error === null && <RowsSkeleton />}
        {data !== undefined && <SettingsForm reply={data} />}
        {/* After what is above it, which would push it down. */}
        {(data !== undefined || error !== null) && <OperatorsCard />}
      </div>
    </Page>
  )
}

type Reply = NonNullable<Awaited<ReturnType<NonNullable<(typeof operatorSettingsQuery)['queryFn']>>>>

function readForm(fields: FormData): OperatorSettings {
  const orNull = (name: string): string | null => {
    const text = formText(fields, name).trim()
    return text === '' ? null : text
  }
  return {
    signup: SIGNUPS.find(({ value }) => value === formText(fields, 'signup'))?.value ?? 'closed',
    allows_passwords: fields.get('passwords') !== null,
    allows_wallets: fields.get('wallets') !== null,
    allows_passkeys: fields.get('passkeys') !== null,
    brand: formText(fields, 'brand').trim(),
    terms_url: orNull('terms_url'),
    terms_text: orNull('terms_text'),
    ...readBusiness(orNull),
  }
}

/** What differs from what is set; what is as the configuration has it goes back to that. */
function changesOf(chosen: OperatorSettings, { settings, defaults }: Reply): Record<string, unknown> {
  const names = Object.keys(settings) as (keyof OperatorSettings)[]
  return Object.fromEntries(
    names
      .filter((name) => chosen[name] !== settings[name])
      .map((name) => [name, chosen[name] === defaults[name] ? null : chosen[name]]),
  )
}

function TermsFields({ settings, who }: { readonly settings: OperatorSettings; readonly who: Who }) {
  return (
    <>
      <TextField
        label="Address of the terms"
        name="terms_url"
        type="url"
        maxLength={500}
        defaultValue={settings.terms_url ?? ''}
        placeholder="https://example.com/terms"
        hint={who('terms_url', 'The sign-in page links it. When set, this address is shown instead of the text below.')}
      />
      <TextAreaField
        label="Or the terms as text"
        hint={who('terms_text', 'The console shows it on a page of its own.')}
        name="terms_text"
        rows={5}
        maxLength={TERMS_LENGTH_MAX}
        defaultValue={settings.terms_text ?? ''}
      />
    </>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly isOn: boolean
  readonly hint: ReactNode
  readonly children: ReactNode
}

function Choice({ name, isOn, hint, children }: ChoiceProps) {
  return (
    <label className="flex items-center gap-2.5">
      <input type="checkbox" name={name} defaultChecked={isOn} className="size-4 accent-[var(--accent)]" />
      <span>
        {children} <span className="text-[12px] text-soft">{hint}</span>
      </span>
    </label>
  )
}

function SettingsForm({ reply }: { readonly reply: Reply }) {
  const { settings, defaults, set } = reply
  const change = useOperatorAction(
    (changes: Record<string, unknown>) => consoleApi.call(consoleEndpoints.changeOperatorSettings, { body: changes }),
    'Saved: the settings hold in every process at once.',
  )
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    change.mutate(changesOf(readForm(new FormData(event.currentTarget)), reply))
  }
  const who: Who = (name, otherwise) => <SetBy fact={set[name]} otherwise={otherwise} />
  return (
    <form onSubmit={submit}>
      <Card title="The gateway">
        <div className="flex flex-col gap-5">
          <TextField
            label="Name"
            name="brand"
            required
            maxLength={BRAND_LENGTH_MAX}
            defaultValue={settings.brand}
            autoComplete="off"
            hint={who('brand', `The name on pages and in emails. “${defaults.brand}” if nothing is set.`)}
          />
          <SelectField label="Who may make an account" name="signup" options={SIGNUPS} defaultValue={settings.signup} />
          <p className="-mt-4 text-[12px] text-soft">{who('signup', 'As the configuration has it.')}</p>
          <Choice name="passwords" isOn={settings.allows_passwords} hint={who('allows_passwords', '')}>
            People may sign in with a password
          </Choice>
          <Choice name="wallets" isOn={settings.allows_wallets} hint={who('allows_wallets', '')}>
            People may sign in with a wallet
          </Choice>
          <Choice name="passkeys" isOn={settings.allows_passkeys} hint={who('allows_passkeys', '')}>
            People may sign in with a passkey
          </Choice>
          <TermsFields settings={settings} who={who} />
          <BusinessFields settings={settings} who={who} />
          <Failure error={change.error} />
          <div className="flex justify-end">
            <Button type="submit" isBusy={change.isPending}>
              Save
            </Button>
          </div>
        </div>
      </Card>
    </form>
  )
}
