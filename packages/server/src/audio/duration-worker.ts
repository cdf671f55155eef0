/** Entry of the worker thread that measures sounds; loaded by `createDurationProbe`, never imported. */
import { parentPort } from 'node:worker_threads'
import type { DurationJob, DurationResult } from './duration-job.ts'
import { measureDuration } from './measure-duration.ts'

parentPort?.on('message', (job: DurationJob) => void measure(job))

async function measure({ sound, byteLength }: DurationJob): Promise<void> {
  const result: DurationResult = { seconds: await measureDuration(sound, byteLength) }
  parentPort?.postMessage(result)
}
