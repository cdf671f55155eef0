/** Entry of the worker thread that measures audio files; loaded by `createDurationProbe`, never imported. */
import { parentPort } from 'node:worker_threads'
import type { DurationJob, DurationResult } from './duration-job.ts'
import { measureDuration } from './measure-duration.ts'

parentPort?.on('message', ({ audio, byteLength }: DurationJob) => {
  const result: DurationResult = { length: measureDuration(audio, byteLength) }
  parentPort?.postMessage(result)
})
