import type { Exact, VideoModelEntry } from '@svc/contract'
import { boundOf, counted, type PriceBound, times } from './price-bound.ts'

export interface VideoPurchase {
  /** Null takes the model's own. */
  readonly seconds: number | null
  readonly resolution: string | null
  readonly hasAudio: boolean | null
  readonly given: number
}

type Model = Exact<VideoModelEntry>

/** A video: its seconds at the dearest price that the settings leave open, given pictures, and not below the least. */
export function videoPrice(model: Model, purchase: VideoPurchase): PriceBound {
  const { given } = purchase
  const seconds = purchase.seconds ?? model.default_duration
  const resolution = purchase.resolution ?? model.default_resolution
  const rows = rowsOf(model, 'second')
  const hasAudio = purchase.hasAudio ?? usualAudio(model)
  const fitting = rows.filter(
    (row) =>
      (row.resolution === undefined || row.resolution.toLowerCase() === resolution?.toLowerCase()) &&
      (row.audio === undefined || hasAudio === null || row.audio === hasAudio),
  )
  const made = dearest(fitting.length > 0 ? fitting : rows, seconds) + dearest(rowsOf(model, 'input_image'), given)
  const least = dearest(rowsOf(model, 'generation'), 1)
  const guess = model.estimated ? ' The list price is a guess: what the upstream reports is charged.' : ''
  const details = resolution === null ? '' : ` at ${resolution}`
  return boundOf(
    made > least ? made : least,
    { seconds, input_images: given },
    `${counted(seconds, 'second')}${details}.${guess}`,
  )
}

/** Whether there is sound where nobody asks: as in the row that gives the list's own price. Null where none does. */
function usualAudio(model: Model): boolean | null {
  const usual = rowsOf(model, 'second').filter(
    ({ credits, resolution }) =>
      credits === model.credits_per_second &&
      (resolution === undefined || resolution.toLowerCase() === model.default_resolution?.toLowerCase()),
  )
  const [first] = usual
  return usual.every(({ audio }) => audio === first?.audio) ? (first?.audio ?? null) : null
}

function rowsOf(model: Model, unit: Model['pricing'][number]['unit']): Model['pricing'] {
  return model.pricing.filter((row) => row.unit === unit)
}

function dearest(rows: Model['pricing'], count: number): bigint {
  return rows.map(({ credits }) => times(credits, count)).reduce((most, each) => (each > most ? each : most), 0n)
}
