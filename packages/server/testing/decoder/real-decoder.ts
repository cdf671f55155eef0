import { Worker } from 'node:worker_threads'
import type { DecoderJob, DecoderResult } from './decoder-thread.ts'

/** What servers of Whisper models decode to. */
const RATE = 16_000
const SAMPLE_BYTES = 2
/** Beyond it nothing is transcribed: 20 minutes. */
const HEARD_BYTES_MAX = 20 * 60 * RATE * SAMPLE_BYTES

/** A real ffmpeg, from its package. */
export interface RealDecoder {
  /** Seconds that it hears of an audio file; 0 where it hears none. */
  hear(audio: Uint8Array): Promise<number>
  /** Makes a tone of so many seconds. @param args of the encoder; the last one names a file by its ending. */
  make(seconds: number, args: readonly string[]): Promise<Buffer>
  /** Makes another file of an audio file. */
  remake(audio: Uint8Array, args: readonly string[]): Promise<Buffer>
  close(): Promise<void>
}

/** Starts a decoder in a thread of its own. */
export function openRealDecoder(): RealDecoder {
  const worker = new Worker(new URL('./decoder-thread.ts', import.meta.url))
  worker.unref()
  const waiting = new Map<number, (output: Uint8Array | null) => void>()
  let jobs = 0
  worker.on('message', ({ id, output }: DecoderResult) => {
    waiting.get(id)?.(output)
    waiting.delete(id)
    if (waiting.size === 0) worker.unref()
  })
  const run = (input: Uint8Array, args: readonly string[]): Promise<Uint8Array | null> => {
    worker.ref()
    const job: DecoderJob = { id: jobs++, input, args }
    return new Promise((resolve) => {
      waiting.set(job.id, resolve)
      worker.postMessage(job)
    })
  }
  const made = async (input: Uint8Array, args: readonly string[]): Promise<Buffer> => {
    const output = await run(input, args)
    if (output === null) throw new Error(`Nothing was made with ${args.join(' ')}`)
    return Buffer.from(output)
  }
  return {
    async hear(audio) {
      const samples = await run(audio, [
        '-i',
        'input',
        '-f',
        's16le',
        '-ac',
        '1',
        '-ar',
        String(RATE),
        '-fs',
        String(HEARD_BYTES_MAX),
        'heard',
      ])
      return (samples?.length ?? 0) / (RATE * SAMPLE_BYTES)
    },
    make: (seconds, args) =>
      made(new Uint8Array(), ['-f', 'lavfi', '-i', `aevalsrc=0.3*sin(2000*t):s=24000:d=${seconds}`, ...args]),
    remake: (audio, args) => made(audio, ['-i', 'input', ...args]),
    async close() {
      await worker.terminate()
    },
  }
}
