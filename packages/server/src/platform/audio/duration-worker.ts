/** Entry of the worker thread that measures sounds; loaded by `createDurationProbe`, never imported. */
import { parentPort } from 'node:worker_threads'
import type { DurationJob, DurationResult } from './duration-job.ts'
import { measureDuration } from './measure-duration.ts'

parentPort?.on('message', ({ sound, byteLength }: DurationJob) => {
  const result: DurationResult = { length: measureDuration(sound, byteLength) }
  parentPort?.postMessage(result)
})
