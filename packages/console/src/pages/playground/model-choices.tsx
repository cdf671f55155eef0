import { type DecimalText, type Exact, type ModelEntry, shortDecimal } from '@svc/contract'
import type { Choice } from './model-picker.tsx'

const short = (value: DecimalText | null): string => (value === null ? '?' : shortDecimal(value))

/** Models that are sold by tokens, with credits for a million in and out. */
export function tokenChoices(models: readonly Exact<ModelEntry>[]): readonly Choice[] {
  return models.map(({ id, name, svc }) => ({
    id,
    name,
    price: `${short(svc.credits_per_1m_input)} / ${short(svc.credits_per_1m_output)} per 1M`,
  }))
}

/** Models that are sold by the second, character or byte. */
export function unitChoices(models: readonly Exact<ModelEntry>[]): readonly Choice[] {
  return models.map(({ id, name, svc }) => ({
    id,
    name,
    price: `${short(svc.credits_per_unit)} per ${svc.unit ?? 'request'}`,
  }))
}
