/** How the list of models is narrowed, put in order and read. Pure. */
import {
  type Exact,
  formatCredits,
  type ModelEntry,
  type ModelSpeeds,
  nanocreditsFrom,
  nanocreditsOf,
  type DecimalText,
} from '@svc/contract'
import type { ModelsSearch, ModelSort } from '../../app/search.ts'

export type Model = Exact<ModelEntry>
export type Speed = ModelSpeeds['data'][number]

/** Who made it: the part of an id before its name, without the prefix of a catalog; else the list's word. */
export function providerOf({ id, owned_by: owner, svc }: Model): string {
  const [, named] = /(?:^|\/)([\w.-]{1,60})\/[^/]+$/.exec(svc.alias_for ?? id) ?? []
  return named ?? owner
}

/** The values that a filter can have among these models, the most frequent first. */
export function valuesOf(models: readonly Model[], read: (model: Model) => readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const model of models) for (const value of new Set(read(model))) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .toSorted(([one, most], [other, more]) => more - most || (one < other ? -1 : 1))
    .map(([value]) => value)
}

/** A price is any number of credits. */
type Filters = Omit<ModelsSearch, 'sort' | 'rows' | 'compare' | 'price'> & { readonly price?: string }

/** Whether the price of the output, or of a unit, is at most so many credits. */
function isWithin({ svc }: Model, most: string): boolean {
  const price = svc.credits_per_1m_output ?? svc.credits_per_1m_input ?? svc.credits_per_unit
  return price !== null && nanocreditsFrom(price) <= nanocreditsFrom(most)
}

export function matches(model: Model, filters: Filters): boolean {
  const { q = '', type, training, provider, takes, gives, context, parameter, price } = filters
  const { svc, architecture } = model
  const text = `${model.id} ${model.name} ${svc.aliases.join(' ')}`.toLowerCase()
  return (
    (type === undefined || svc.type === type) &&
    (training === undefined || (svc.prompt_training ?? 'unknown') === training) &&
    (provider === undefined || providerOf(model) === provider) &&
    (takes === undefined || architecture.input_modalities.includes(takes)) &&
    (gives === undefined || architecture.output_modalities.includes(gives)) &&
    (context === undefined || (model.context_length ?? 0) >= context) &&
    (parameter === undefined || model.supported_parameters.includes(parameter)) &&
    (price === undefined || isWithin(model, price)) &&
    q
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word))
  )
}

const amountOf = (value: DecimalText | null): bigint | null => (value === null ? null : nanocreditsFrom(value))

type Sortable = bigint | number | string | null

/** What a column is put in order by. */
const KEYS: Readonly<Record<ModelSort, (model: Model, speed: Speed | undefined) => Sortable>> = {
  name: ({ name }) => name.toLowerCase(),
  input: ({ svc }) => amountOf(svc.credits_per_1m_input),
  output: ({ svc }) => amountOf(svc.credits_per_1m_output ?? svc.credits_per_unit),
  context: ({ context_length: tokens }) => tokens,
  newest: ({ created }) => (created === 0 ? null : created),
  speed: (_model, speed) => speed?.tokens_per_second ?? null,
  first: (_model, speed) => speed?.first_content_ms ?? null,
  success: (_model, speed) => speed?.success_rate ?? null,
}

/** Where more is better, the first press puts the most at the top. */
export const DESCENDS: ReadonlySet<ModelSort> = new Set<ModelSort>(['context', 'newest', 'speed', 'success'])

interface Order {
  readonly sort: ModelSort
  readonly isDown: boolean
  readonly speeds: ReadonlyMap<string, Speed>
}

/** What has no such value comes last, whichever way. Models that are equal stay as the list has them. */
export function inOrder(models: readonly Model[], { sort, isDown, speeds }: Order): readonly Model[] {
  const keyed = models.map((model) => ({ model, key: KEYS[sort](model, speeds.get(model.id)) }))
  keyed.sort(({ key: one }, { key: other }) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null)
    const order = one < other ? -1 : one > other ? 1 : 0
    return isDown ? -order : order
  })
  return keyed.map(({ model }) => model)
}

export interface UnitPrice {
  /** Exact decimal text. */
  readonly credits: DecimalText
  /** Such as `minute`. */
  readonly per: string
}

/** A price of media by a measure that people think in: not by the character, but by a million of them. */
export function unitPriceOf({ svc }: Model): UnitPrice | null {
  if (svc.credits_per_unit === null) return null
  const by = (count: bigint, per: string): UnitPrice => {
    const credits = formatCredits(nanocreditsOf(nanocreditsFrom(svc.credits_per_unit ?? '0') * count))
    return { credits: credits as DecimalText, per }
  }
  switch (svc.unit) {
    case 'character':
      return by(1_000_000n, '1M characters')
    case 'byte':
      return by(1_000_000n, '1M bytes')
    case 'second':
      return svc.type === 'video' ? by(1n, 'second') : by(60n, 'minute')
    case 'image':
      return by(1n, 'image')
    default:
      return by(1n, 'request')
  }
}

/** Such as `0.42 s`. */
export function secondsText(ms: number | null): string {
  if (ms === null) return ''
  return ms < 10_000 ? `${(ms / 1_000).toFixed(2)} s` : `${Math.round(ms / 1_000)} s`
}

/** Such as `99.8 %`: rounded down, so that 100 % is all. */
export const shareText = (share: number): string => `${Math.floor(share * 1_000) / 10} %`
