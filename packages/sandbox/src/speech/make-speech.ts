import { encodeAudio } from './encode-audio.ts'
import { resample } from './resample.ts'
import { speak } from './speak.ts'
import type { SpeechJob } from './speech-job.ts'

/** What callers expect of raw audio, and what all formats can hold. Source: the OpenAI guide, "Text to speech". */
const RATE = 24_000

/** Speaks a text and writes the audio in the format that is asked for. */
export function makeSpeech({ text, voice, speed, format }: SpeechJob): Promise<Uint8Array> {
  const { samples, rate } = speak({ text, voice, speed })
  return encodeAudio({ samples: resample(samples, rate, RATE), rate: RATE }, format)
}
