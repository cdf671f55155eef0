/** A request for a video, and what the page remembers of it: the gateway stores no prompts. */
import type { endpoints, Exact, InputOf, VideoModelEntry, VideoReply } from '@svc/contract'
import type { Attachment } from '../chat/conversation.ts'
import type { RequestSize } from '../pay/request-size.ts'

export interface VideoWishes {
  readonly model: string
  readonly prompt: string
  readonly seconds: number
  /** Empty leaves it to the model. */
  readonly resolution: string
  readonly aspect: string
  readonly hasAudio: boolean
  readonly seed: number | null
  readonly firstFrame: Attachment | null
}

/** What the browser keeps beside the gateway's job. */
export interface VideoNote {
  /** The job's id. */
  readonly id: string
  readonly at: number
  readonly prompt: string
  /** By which the charge is found in the usage. */
  readonly requestId: string | null
}

type VideoBody = Extract<InputOf<typeof endpoints.submitVideo>, { readonly body: unknown }>['body']

export function videoBodyOf(wishes: VideoWishes, canBeSilent: boolean): VideoBody {
  const { model, prompt, seconds, resolution, aspect, hasAudio, seed, firstFrame } = wishes
  const frame = { type: 'image_url' as const, frame_type: 'first_frame' as const }
  return {
    model,
    prompt,
    duration: seconds,
    ...(resolution === '' ? {} : { resolution }),
    ...(aspect === '' ? {} : { aspect_ratio: aspect }),
    ...(canBeSilent ? { generate_audio: hasAudio } : {}),
    ...(seed === null ? {} : { seed }),
    ...(firstFrame === null ? {} : { frame_images: [{ ...frame, image_url: { url: firstFrame.url } }] }),
  }
}

/** What decides the price of a video. */
export function sizeOf({ model, duration, resolution, generate_audio: hasAudio, frame_images: frames }: VideoBody) {
  return {
    model,
    seconds: duration ?? undefined,
    resolution: resolution ?? undefined,
    audio: hasAudio === true ? 'true' : hasAudio === false ? 'false' : undefined,
    input_images: frames?.length ?? 0,
  } satisfies RequestSize
}

/** Whether the list sells the model both with audio and without. */
export function canBeSilent(model: Exact<VideoModelEntry> | undefined): boolean {
  const rows = model?.pricing ?? []
  return rows.some(({ audio }) => audio === true) && rows.some(({ audio }) => audio === false)
}

export const isOpen = ({ status }: Exact<VideoReply>): boolean => status === 'queued' || status === 'in_progress'

/** Where the file is on this origin, whatever name the gateway goes by. */
export function pathOfFile({ unsigned_urls: urls }: Exact<VideoReply>): string | null {
  const [url] = urls ?? []
  if (url === undefined || !URL.canParse(url)) return null
  const { pathname, search } = new URL(url)
  return `${pathname}${search}`
}
