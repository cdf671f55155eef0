/** Entry of the threads that make and read media; loaded by `createStudio`, never imported. */
import { parentPort } from 'node:worker_threads'
import { SandboxError } from '../sandbox-error.ts'
import type { StudioJob, StudioMessage, StudioResult } from './studio-job.ts'

parentPort?.on('message', (job: StudioJob) => {
  void perform(job).then(
    (result) => send({ kind: 'done', result }),
    (error: unknown) => {
      if (!(error instanceof SandboxError)) throw error
      const { status, errorType, message } = error
      send({ kind: 'refused', status, errorType, message })
    },
  )
})

/** Each kind of work loads its libraries when it is first asked for. */
async function perform(job: StudioJob): Promise<StudioResult> {
  switch (job.kind) {
    case 'image': {
      const { makeImage } = await import('../images/make-image.ts')
      return { kind: 'files', files: await makeImage(job) }
    }
    case 'video': {
      const { makeVideo } = await import('../videos/make-video.ts')
      return { kind: 'files', files: [await makeVideo(job, (percent) => send({ kind: 'progress', percent }))] }
    }
    case 'speech': {
      const { makeSpeech } = await import('../speech/make-speech.ts')
      return { kind: 'files', files: [await makeSpeech(job)] }
    }
    case 'listen': {
      const { transcribe } = await import('../transcripts/transcribe.ts')
      return { kind: 'transcript', transcript: await transcribe(job) }
    }
  }
}

/** Files are copied: libraries own the memory in which they hand them out, and it cannot move to another thread. */
function send(message: StudioMessage): void {
  parentPort?.postMessage(message)
}
