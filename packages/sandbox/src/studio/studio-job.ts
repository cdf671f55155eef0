import type { ListenJob, Transcript } from '../transcripts/transcript.ts'
import type { ImageJob } from '../images/image-job.ts'
import type { SpeechJob } from '../speech/speech-job.ts'
import type { VideoJob } from '../videos/video-job.ts'

/** Work for a thread that makes or reads media. */
export type StudioJob = ImageJob | VideoJob | SpeechJob | ListenJob

/** What the work gives: files, the whole one last, or a transcript. */
export type StudioResult =
  | { readonly kind: 'files'; readonly files: readonly Uint8Array[] }
  | { readonly kind: 'transcript'; readonly transcript: Transcript }

/** What a thread sends: how far it is, from 0 to 100, and then once how it ended. */
export type StudioMessage =
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'done'; readonly result: StudioResult }
  | { readonly kind: 'refused'; readonly status: number; readonly errorType: string; readonly message: string }
