import { createBuiltInListener, type Listener } from './built-in-listener.ts'
import { decodeAudio, LISTEN_RATE } from './decode-audio.ts'
import { listenWithProgram } from './program-listener.ts'
import { splitSpeech } from './split-speech.ts'
import type { ListenJob, Segment, SpokenWord, Transcript } from './transcript.ts'

let builtIn: Promise<Listener> | null = null

/**
 * Reads speech from an audio file.
 * @throws {SandboxError} 400 when the file cannot be read.
 */
export async function transcribe({ file, cacheFolder, recogniser }: ListenJob): Promise<Transcript> {
  const samples = await decodeAudio(file)
  const parts = splitSpeech(samples, LISTEN_RATE)
  const clips = parts.map(({ start, end }) => samples.slice(start, end))
  const heard =
    recogniser === null ? await listenBuiltIn(clips, cacheFolder) : await listenWithProgram(recogniser, clips)
  const segments = parts.map(({ start, end }, at): Segment => {
    const offset = start / LISTEN_RATE
    const words = (heard[at] ?? []).map((word) => shifted(word, offset))
    return { start: rounded(offset), end: rounded(end / LISTEN_RATE), words }
  })
  return { duration: rounded(samples.length / LISTEN_RATE), segments }
}

async function listenBuiltIn(clips: readonly Float32Array[], cacheFolder: string | null): Promise<SpokenWord[][]> {
  builtIn ??= createBuiltInListener(cacheFolder)
  const listener = await builtIn
  return clips.map((audio) => listener(audio))
}

function shifted({ word, start, end }: SpokenWord, offset: number): SpokenWord {
  return { word, start: rounded(start + offset), end: rounded(end + offset) }
}

/** To a hundredth of a second, which is what recognisers count in. */
function rounded(seconds: number): number {
  return Math.round(seconds * 100) / 100
}
