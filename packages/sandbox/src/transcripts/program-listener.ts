import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { SandboxError } from '../sandbox-error.ts'
import { LISTEN_RATE } from './decode-audio.ts'
import type { SpokenWord } from './transcript.ts'

const run = promisify(execFile)

const LIMIT_MS = 180_000
/** Frames a second. Source: PocketSphinx, `-frate`. */
const FRAMES = 100

/**
 * Reads parts of audio, of 16,000 samples a second, with CMU PocketSphinx, through files that are removed afterwards.
 * @throws {SandboxError} 500 when the program fails.
 */
export async function listenWithProgram(program: string, clips: readonly Float32Array[]): Promise<SpokenWord[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-listen-'))
  try {
    const names = clips.map((_, at) => `part${at}`)
    await Promise.all(
      clips.map((audio, at) => writeFile(join(folder, `part${at}.raw`), samplesOf(audio), { mode: 0o600 })),
    )
    await writeFile(join(folder, 'parts'), `${names.join('\n')}\n`)
    const options = ['-adcin', 'yes', '-cepdir', folder, '-cepext', '.raw', '-ctl', join(folder, 'parts')]
    const output = ['-hypseg', join(folder, 'heard'), '-logfn', '/dev/null', '-samprate', String(LISTEN_RATE)]
    await run(program, [...options, ...output], { timeout: LIMIT_MS })
    const lines = (await readFile(join(folder, 'heard'), 'utf8')).split('\n')
    const byName = new Map(lines.map((line) => [line.split(' ')[0] ?? '', line]))
    return names.map((name) => parseSegments(byName.get(name) ?? ''))
  } catch (error) {
    throw new SandboxError(
      500,
      'server',
      `pocketsphinx_batch failed: ${error instanceof Error ? error.name : 'unknown'}.`,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function samplesOf(audio: Float32Array): Buffer {
  const bytes = Buffer.alloc(audio.length * 2)
  for (let at = 0; at < audio.length; at += 1) {
    bytes.writeInt16LE(Math.max(-32_768, Math.min(32_767, Math.round((audio[at] ?? 0) * 32_767))), at * 2)
  }
  return bytes
}

/**
 * Reads a line such as `part0 S 0 T -1 A -1 L -1 0 -5 -1 <s> 12 -7 -2 hello 40`: of each word its first frame, two
 * scores and the word, and in the end the last frame. Source: PocketSphinx, `batch.c`, `hypseg_write`.
 */
function parseSegments(line: string): SpokenWord[] {
  const fields = line.trim().split(/\s+/).slice(9)
  const words: SpokenWord[] = []
  for (let at = 0; at + 4 < fields.length + 1 && at + 3 < fields.length; at += 4) {
    const word = (fields[at + 3] ?? '').replace(/\(\d+\)$/, '')
    const [start, end] = [Number(fields[at]), Number(fields[at + 4] ?? fields[at])]
    if (/^[a-z]/i.test(word)) words.push({ word, start: start / FRAMES, end: end / FRAMES })
  }
  return words
}
