import { registerAacEncoder } from '@mediabunny/aac-encoder'
import { AudioSample, AudioSampleSource, type Output } from 'mediabunny'
import { readableText } from '../speech/readable-text.ts'
import { resample } from '../speech/resample.ts'
import { speak } from '../speech/speak.ts'
import type { VideoJob } from './video-job.ts'

/** Samples a second of the audio beside images. */
const RATE = 48_000
const BITRATE = 96_000
/** Characters that are spoken, at most. */
const SPOKEN_MAX = 400

/**
 * Adds a voice that says the prompt, as long as the images are. What cannot be spoken is silent.
 * @returns what to call once the output has started.
 */
export async function addSpokenTrack(output: Output, job: VideoJob): Promise<() => Promise<void>> {
  registerOnce()
  const source = new AudioSampleSource({ codec: 'aac', bitrate: BITRATE })
  output.addAudioTrack(source)
  const text = readableText(job.prompt.slice(0, SPOKEN_MAX))
  const spoken = text === null ? null : speak({ text, voice: 'nova', speed: 1 })
  const samples = new Float32Array(Math.round(job.seconds * RATE))
  if (spoken !== null) samples.set(resample(spoken.samples, spoken.rate, RATE).subarray(0, samples.length))
  return async () => {
    const sample = new AudioSample({
      data: samples,
      format: 'f32',
      numberOfChannels: 1,
      sampleRate: RATE,
      timestamp: 0,
    })
    await source.add(sample)
    sample.close()
  }
}

let isRegistered = false

function registerOnce(): void {
  if (!isRegistered) registerAacEncoder()
  isRegistered = true
}
