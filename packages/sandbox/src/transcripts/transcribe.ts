import { createBuiltInListener, type Listener } from './built-in-listener.ts'
import { decodeSound, LISTEN_RATE } from './decode-sound.ts'
import { listenWithProgram } from './program-listener.ts'
import { splitSpeech } from './split-speech.ts'
import type { ListenJob, Segment, SpokenWord, Transcript } from './transcript.ts'

let builtIn: Promise<Listener> | null = null

/**
 * Reads speech from a sound file.
 * @throws {SandboxError} 400 when the file cannot be read.
 */
export async function transcribe({ file, cacheFolder, recogniser }: ListenJob): Promise<Transcript> {
  const samples = await decodeSound(file)
  const parts = splitSpeech(samples, LISTEN_RATE)
  const sounds = parts.map(({ start, end }) => samples.slice(start, end))
  const heard =
    recogniser === null ? await listenBuiltIn(sounds, cacheFolder) : await listenWithProgram(recogniser, sounds)
  const segments = parts.map(({ start, end }, at): Segment => {
    const offset = start / LISTEN_RATE
    const words = (heard[at] ?? []).map((word) => shifted(word, offset))
    return { start: rounded(offset), end: rounded(end / LISTEN_RATE), words }
  })
  return { duration: rounded(samples.length / LISTEN_RATE), segments }
}

async function listenBuiltIn(sounds: readonly Float32Array[], cacheFolder: string | null): Promise<SpokenWord[][]> {
  builtIn ??= createBuiltInListener(cacheFolder)
  const listener = await builtIn
  return sounds.map((sound) => listener(sound))
}

function shifted({ word, start, end }: SpokenWord, offset: number): SpokenWord {
  return { word, start: rounded(start + offset), end: rounded(end + offset) }
}

/** To a hundredth of a second, which is what recognisers count in. */
function rounded(seconds: number): number {
  return Math.round(seconds * 100) / 100
}
