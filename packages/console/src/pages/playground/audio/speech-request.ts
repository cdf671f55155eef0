/** A text to speak, and the audio that came. */
import { endpoints, type InputOf } from '@svc/contract'
import type { Run, Work } from '../run-store.ts'
import { playable } from './decode-audio.ts'

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
  readonly audio: Blob | null
}

type SpeechBody = InputOf<typeof endpoints.createSpeech>['body']

export function speechBodyOf({ model, text, voice, format, speed, instructions }: SpeechWishes): SpeechBody {
  return {
    model,
    input: text,
    response_format: format,
    ...(voice === '' ? {} : { voice }),
    ...(speed === null ? {} : { speed }),
    ...(instructions.trim() === '' ? {} : { instructions }),
  }
}

export function speak(wishes: SpeechWishes) {
  return async ({ client, options }: Work<SpeechRun>): Promise<Partial<SpeechRun>> => {
    const reply = await client.open(endpoints.createSpeech, { body: speechBodyOf(wishes) }, options)
    const parts: Uint8Array<ArrayBuffer>[] = []
    for await (const part of reply.bytes) parts.push(new Uint8Array(part))
    const charge = reply.headers.get('x-svc-credits-charged')
    return { audio: playable(parts, reply.headers.get('content-type') ?? ''), charge }
  }
}
