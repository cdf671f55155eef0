import type { JsonSchema } from './merge-schemas.ts'
import type { SeededRandom } from './seeded-random.ts'

/** How far above its lower bound a number may lie. */
const SPREAD = 100

interface Bounds {
  readonly low: number
  readonly high: number
  readonly isLowExcluded: boolean
  readonly isHighExcluded: boolean
}

/** Makes a whole number within a schema's bounds; a multiple where one is asked. */
export function integerForSchema(schema: JsonSchema, random: SeededRandom): number {
  const { low, high, isLowExcluded, isHighExcluded } = boundsOf(schema)
  const step = Math.abs(numberAt(schema, 'multipleOf') ?? 1)
  const unit = Number.isInteger(step) && step > 0 ? step : 1
  const first = isLowExcluded ? Math.floor(low / unit) + 1 : Math.ceil(low / unit)
  const last = isHighExcluded ? Math.ceil(high / unit) - 1 : Math.floor(high / unit)
  return plain(random.integer(first, Math.max(first, Math.min(last, first + SPREAD))) * unit)
}

/** Makes a number within a schema's bounds, with two decimals where they fit; a multiple where one is asked. */
export function numberForSchema(schema: JsonSchema, random: SeededRandom): number {
  const bounds = boundsOf(schema)
  const step = numberAt(schema, 'multipleOf')
  if (step !== null && step > 0) {
    const first = bounds.isLowExcluded ? Math.floor(bounds.low / step) + 1 : Math.ceil(bounds.low / step)
    const last = Math.max(
      first,
      bounds.isHighExcluded ? Math.ceil(bounds.high / step) - 1 : Math.floor(bounds.high / step),
    )
    return plain(Number((random.integer(first, Math.min(last, first + SPREAD)) * step).toPrecision(12)))
  }
  if (bounds.low === bounds.high) return bounds.low
  const exact = bounds.low + (bounds.high - bounds.low) * (0.1 + 0.8 * random.fraction())
  const rounded = Math.round(exact * 100) / 100
  return plain(rounded > bounds.low && rounded < bounds.high ? rounded : exact)
}

/** Minus zero is written as 0 in JSON. */
function plain(value: number): number {
  return value === 0 ? 0 : value
}

function boundsOf(schema: JsonSchema): Bounds {
  const minimum = numberAt(schema, 'minimum')
  const maximum = numberAt(schema, 'maximum')
  const above = numberAt(schema, 'exclusiveMinimum')
  const below = numberAt(schema, 'exclusiveMaximum')
  const isLowExcluded = above !== null && (minimum === null || above >= minimum)
  const isHighExcluded = below !== null && (maximum === null || below <= maximum)
  const askedLow = isLowExcluded ? above : minimum
  const askedHigh = isHighExcluded ? below : maximum
  const low = askedLow ?? (askedHigh === null ? 1 : Math.min(0, askedHigh - SPREAD))
  return { low, high: Math.max(low, askedHigh ?? low + SPREAD), isLowExcluded, isHighExcluded }
}

function numberAt(schema: JsonSchema, key: string): number | null {
  const value = schema[key]
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
