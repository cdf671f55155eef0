/**
 * A thread with a whole ffmpeg, for tests: the decoder that servers of Whisper models use. Its package is made for
 * workers of browsers, so it gets what it looks for there, here where nothing else sees that.
 */
import type { Ffmpeg } from '@ffmpeg/core'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { parentPort } from 'node:worker_threads'

/** What is asked of the thread: arguments, between an input and an output. */
export interface DecoderJob {
  readonly id: number
  readonly input: Uint8Array
  readonly args: readonly string[]
}

/** The output; null where there is none. */
export interface DecoderResult {
  readonly id: number
  readonly output: Uint8Array | null
}

const require = createRequire(import.meta.url)

async function open(): Promise<Ffmpeg> {
  Object.assign(globalThis, { self: globalThis, location: { href: '' } })
  const { default: create } = await import('@ffmpeg/core')
  const wasmBinary = readFileSync(require.resolve('@ffmpeg/core/wasm'))
  const names = Buffer.from(JSON.stringify({ wasmURL: 'memory', workerURL: 'none' })).toString('base64')
  return create({ wasmBinary, mainScriptUrlOrBlob: `#${names}` })
}

/** Each job leaves something in the memory of an ffmpeg, which traps after some sixty. */
const JOBS_MOST = 32

let opened: Promise<Ffmpeg> | null = null
let jobs = 0

async function run({ id, input, args }: DecoderJob): Promise<void> {
  let output: Uint8Array | null = null
  try {
    if (jobs++ % JOBS_MOST === 0) opened = null
    opened ??= open()
    const ffmpeg = await opened
    ffmpeg.setLogger(() => undefined)
    ffmpeg.reset()
    ffmpeg.FS.writeFile('input', input)
    const [path = ''] = args.slice(-1)
    ffmpeg.exec('-v', 'quiet', ...args)
    output = Uint8Array.from(ffmpeg.FS.readFile(path))
    ffmpeg.FS.unlink(path)
  } catch {
    // It has trapped, or made nothing; the next job gets a new one.
    opened = null
  }
  parentPort?.postMessage({ id, output } satisfies DecoderResult)
}

let last: Promise<void> = Promise.resolve()
parentPort?.on('message', (job: DecoderJob) => {
  last = last.then(() => run(job))
})
