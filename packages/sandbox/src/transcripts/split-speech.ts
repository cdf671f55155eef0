/** A part of audio that is read at once; places in samples. */
export interface SpeechPart {
  readonly start: number
  readonly end: number
}

/** Seconds: parts are cut at a pause, where they have some length, and somewhere, where they have a great one. */
const PART_MIN = 3
const PART_MAX = 14
const FRAME = 0.02
const PAUSE_FRAMES = 12

/**
 * Cuts audio at its quietest places, so that no part is long: recognisers take the more memory the longer a part is.
 */
export function splitSpeech(samples: Float32Array, rate: number): SpeechPart[] {
  const size = Math.round(FRAME * rate)
  const count = Math.floor(samples.length / size)
  const loudness = Array.from({ length: count }, (_, frame) => loudnessOf(samples, frame * size, size))
  const quiet = 0.12 * (loudness.toSorted((left, right) => left - right)[Math.floor(count * 0.9)] ?? 0)
  const parts: SpeechPart[] = []
  let start = 0
  let silent = 0
  for (let frame = 0; frame < count; frame += 1) {
    silent = (loudness[frame] ?? 0) <= quiet ? silent + 1 : 0
    const seconds = (frame - start) * FRAME
    const isPause = silent >= PAUSE_FRAMES && seconds >= PART_MIN
    if (!isPause && seconds < PART_MAX) continue
    const cut = isPause ? frame - Math.floor(silent / 2) : quietest(loudness, frame - Math.round(4 / FRAME), frame)
    parts.push({ start: start * size, end: cut * size })
    start = cut
    silent = 0
  }
  if (samples.length - start * size > size * 5 || parts.length === 0)
    parts.push({ start: start * size, end: samples.length })
  return parts
}

function loudnessOf(samples: Float32Array, start: number, size: number): number {
  let sum = 0
  for (let at = start; at < start + size; at += 1) sum += (samples[at] ?? 0) ** 2
  return Math.sqrt(sum / size)
}

function quietest(loudness: readonly number[], from: number, to: number): number {
  let best = from
  for (let frame = from; frame < to; frame += 1) if ((loudness[frame] ?? 0) < (loudness[best] ?? 0)) best = frame
  return best
}
