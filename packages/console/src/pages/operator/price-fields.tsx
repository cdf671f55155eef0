import type { OfferPrice } from '@svc/contract'
import { TextField } from '../../ui/field.tsx'

const FIELDS = [
  { name: 'input', label: 'Input, for 1M tokens', isNeeded: true, example: '2.50' },
  { name: 'output', label: 'Output, for 1M tokens', isNeeded: true, example: '10' },
  { name: 'cached_input', label: 'Cached input, for 1M tokens', isNeeded: false, example: 'as input' },
  { name: 'cache_write', label: 'Cache write, for 1M tokens', isNeeded: false, example: 'as input' },
  { name: 'request', label: 'Each request', isNeeded: false, example: 'nothing' },
] as const

/** @param text of a named field. @param prefix of the names, where a form has several prices. */
export function readPrice(text: (name: string) => string, prefix = ''): OfferPrice {
  const read = (name: string): string | null => {
    const typed = text(`${prefix}${name}`).trim()
    return typed === '' ? null : typed
  }
  return {
    ...{ input: read('input') ?? '0', output: read('output') ?? '0', cached_input: read('cached_input') },
    ...{ cache_write: read('cache_write'), request: read('request') },
  }
}

interface PriceFieldsProps {
  readonly value: OfferPrice | null
  readonly prefix?: string
  /** Whether all of it may be left empty. */
  readonly isOptional?: boolean
}

/** A price in US dollars. */
export function PriceFields({ value, prefix = '', isOptional = false }: PriceFieldsProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {FIELDS.map(({ name, label, isNeeded, example }) => (
        <TextField
          key={name}
          label={label}
          name={`${prefix}${name}`}
          required={isNeeded && !isOptional}
          inputMode="decimal"
          pattern={String.raw`\d{1,6}([.]\d{1,12})?`}
          wants="US dollars, such as 2.50"
          defaultValue={value?.[name] ?? ''}
          placeholder={example}
          autoComplete="off"
        />
      ))}
    </div>
  )
}
