/** A text to speak, and the sound that came. */
import { countCharacters, endpoints, type Exact, type InputOf, type ModelEntry } from '@svc/contract'
import { bytesOf, type PriceRange, unitsRange } from '../pay/price-ranges.ts'
import type { Run, Work } from '../run-store.ts'
import { playable } from './decode-sound.ts'

export interface SpeechWishes {
  readonly model: string
  readonly text: string
  readonly voice: string
  readonly format: 'mp3' | 'opus' | 'aac' | 'flac' | 'wav' | 'pcm'
  readonly speed: number | null
  readonly instructions: string
}

export interface SpeechRun extends Run {
  readonly wishes: SpeechWishes
  readonly sound: Blob | null
}

type SpeechBody = InputOf<typeof endpoints.createSpeech>['body']

export function speechBodyOf({ model, text, voice, format, speed, instructions }: SpeechWishes): SpeechBody {
  return {
    ...{ model, input: text, response_format: format },
    ...(voice === '' ? {} : { voice }),
    ...(speed === null ? {} : { speed }),
    ...(instructions.trim() === '' ? {} : { instructions }),
  }
}

/** Known before: characters, or bytes where the model is sold by them. */
export function speechRange(model: Exact<ModelEntry> | undefined, text: string): PriceRange | null {
  if (model === undefined) return null
  const { unit, credits_per_unit: price } = model.svc
  return unitsRange(price, unit === 'byte' ? bytesOf(text) : countCharacters(text))
}

export function speak(wishes: SpeechWishes) {
  return async ({ client, options }: Work<SpeechRun>): Promise<Partial<SpeechRun>> => {
    const reply = await client.open(endpoints.createSpeech, { body: speechBodyOf(wishes) }, options)
    const parts: Uint8Array<ArrayBuffer>[] = []
    for await (const part of reply.bytes) parts.push(new Uint8Array(part))
    const charge = reply.headers.get('x-svc-credits-charged')
    return { sound: playable(parts, reply.headers.get('content-type') ?? ''), charge }
  }
}
