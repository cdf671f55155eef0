import { countCharacters, type Exact, type ModelEntry } from '@svc/contract'
import { boundOf, counted, type PriceBound, times, wrongUsage } from './price-bound.ts'

type Model = Exact<ModelEntry>

/** Speech: the charge itself, since it is known before the first sound. */
export function speechPrice(model: Model, text: string): PriceBound {
  if (text === '') throw wrongUsage('There is no text.', 'Give the text that is to be spoken, or pipe it.')
  const isByBytes = model.svc.unit === 'byte'
  const count = isByBytes ? new TextEncoder().encode(text).length : countCharacters(text)
  const amount = times(unitCredits(model), count)
  return boundOf(
    amount,
    { [isByBytes ? 'bytes' : 'characters']: count },
    `${counted(count, isByBytes ? 'byte' : 'character')}.`,
  )
}

/** Transcripts: begun seconds are charged whole. */
export function transcriptPrice(model: Model, seconds: number | null): PriceBound {
  if (seconds === null) {
    throw wrongUsage('How long is the recording?', 'Give its length in seconds: --duration 90.')
  }
  return boundOf(times(unitCredits(model), seconds), { seconds }, `${counted(seconds, 'second')} of sound.`)
}

function unitCredits({ id, svc }: Model): string {
  if (svc.credits_per_unit !== null) return svc.credits_per_unit
  throw wrongUsage(`${id} has no price by the ${svc.unit ?? 'unit'}.`, '`svc models` shows its price.')
}
