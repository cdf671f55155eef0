import { OFFER_TARGETS_MAX, type OfferRoute } from '@svc/contract'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { newId } from '../../api/new-id.ts'
import { PriceFields, readPrice } from './price-fields.tsx'

/** The places of a form's targets, in one hidden field: each names its other fields. */
const PLACES = 'targets'

/** @param text of a named field. */
export function readRoute(text: (name: string) => string): OfferRoute {
  const places = text(PLACES).split(' ').filter(Boolean)
  const orNull = (name: string): string | null => {
    const typed = text(name).trim()
    return typed === '' ? null : typed
  }
  return {
    targets: places.map((place) => {
      const weight = orNull(`${place}.weight`)
      return {
        upstream: text(`${place}.upstream`),
        model: orNull(`${place}.model`),
        bills_on_cancel: text(`${place}.cancel`) !== 'no',
        price: orNull(`${place}.input`) === null ? null : readPrice(text, `${place}.`),
        weight: weight === null ? null : Number(weight),
      }
    }),
    fallback: text('fallback') !== 'no',
  }
}

type Target = OfferRoute['targets'][number]

interface RouteFieldsProps {
  readonly value: OfferRoute | null
  readonly upstreams: readonly string[]
}

/** Upstreams in their order. */
export function RouteFields({ value, upstreams }: RouteFieldsProps) {
  const [targets, setTargets] = useState<readonly { readonly place: string; readonly target: Target | null }[]>(() =>
    (value?.targets ?? [null]).map((target) => ({ place: newId(), target })),
  )
  return (
    <div className="flex flex-col gap-4">
      <input type="hidden" name={PLACES} value={targets.map(({ place }) => place).join(' ')} />
      {targets.map(({ place, target }, at) => (
        <fieldset key={place} className="flex flex-col gap-3 rounded-lg border border-line p-4">
          <legend className="px-1 text-[12px] text-soft">{at === 0 ? 'First' : `Then (${at + 1})`}</legend>
          <div className="grid gap-3 sm:grid-cols-3">
            <SelectField
              label="Upstream"
              name={`${place}.upstream`}
              defaultValue={target?.upstream ?? upstreams[0]}
              options={upstreams.map((name) => ({ value: name, text: name }))}
            />
            <TextField
              label="Its name there"
              name={`${place}.model`}
              defaultValue={target?.model ?? ''}
              placeholder="the same"
              maxLength={200}
              autoComplete="off"
            />
            <TextField
              label="Weight"
              name={`${place}.weight`}
              inputMode="numeric"
              pattern="[1-9][0-9]{0,2}"
              wants="A whole number from 1 to 999, for all or for none"
              defaultValue={target?.weight ?? ''}
              placeholder="none"
              autoComplete="off"
            />
          </div>
          <SelectField
            label="A chat that the client cancels before its first word"
            name={`${place}.cancel`}
            defaultValue={target?.bills_on_cancel === false ? 'no' : 'yes'}
            options={[
              { value: 'yes', text: 'is charged by it' },
              { value: 'no', text: 'costs nothing there, and nothing here' },
            ]}
          />
          <details open={target !== null && target.price !== null}>
            <summary className="cursor-default text-soft">A price of its own</summary>
            <div className="mt-3">
              <PriceFields value={target?.price ?? null} prefix={`${place}.`} isOptional />
            </div>
          </details>
          {targets.length > 1 && (
            <Button
              look="quiet"
              className="self-end"
              onClick={() => setTargets(targets.filter((each) => each.place !== place))}
            >
              <Trash2 size={14} aria-hidden />
              Remove
            </Button>
          )}
        </fieldset>
      ))}
      <div className="flex flex-wrap items-end justify-between gap-3">
        {targets.length < OFFER_TARGETS_MAX && (
          <Button look="secondary" onClick={() => setTargets([...targets, { place: newId(), target: null }])}>
            <Plus size={14} aria-hidden />
            Another upstream
          </Button>
        )}
        <div className="w-64">
          <SelectField
            label="When one fails and charges nothing"
            name="fallback"
            defaultValue={value?.fallback === false ? 'no' : 'yes'}
            options={[
              { value: 'yes', text: 'ask the next' },
              { value: 'no', text: 'the request fails' },
            ]}
          />
        </div>
      </div>
    </div>
  )
}
