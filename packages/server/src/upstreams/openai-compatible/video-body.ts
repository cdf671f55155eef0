/** A submission in OpenAI's form, and in OpenRouter's. */
import type { VideoFile, VideoSubmission } from '../video-upstream.ts'
import { type FormBody, writeVideoForm } from './video-form.ts'

/** OpenAI's form: `seconds` is text, `size` is pixels, an image is a file or an address. */
export function openAiVideoBody(submission: VideoSubmission): FormBody {
  const { upstreamModel: model, prompt, seconds, size, file, frames, references } = submission
  const fields = {
    model,
    prompt: prompt ?? '',
    seconds: String(seconds),
    ...(size === null ? {} : { size }),
  }
  if (file !== null) return writeVideoForm(fields, { field: 'input_reference', content: file })
  const image = frames[0]?.url ?? references.find(({ type }) => type === 'image_url')?.url
  const reference = image === undefined ? {} : { input_reference: { image_url: image } }
  return jsonBody({ ...fields, ...reference })
}

/** OpenRouter's form. A file becomes the image that the video begins with. */
export function openRouterVideoBody(submission: VideoSubmission): FormBody {
  const { prompt, seconds, aspectRatio, hasAudio, seed, file } = submission
  const frames = [
    ...(file === null ? [] : [{ url: dataUrl(file), place: 'first_frame' as const }]),
    ...submission.frames,
  ].map(({ url, place }) => ({ type: 'image_url', image_url: { url }, frame_type: place }))
  const references = submission.references.map(({ type, url }) => ({ type, [type]: { url } }))
  return jsonBody({
    model: submission.upstreamModel,
    ...(prompt === null ? {} : { prompt }),
    duration: seconds,
    ...imageFields(submission),
    ...(aspectRatio === null ? {} : { aspect_ratio: aspectRatio }),
    ...(hasAudio === null ? {} : { generate_audio: hasAudio }),
    ...(seed === null ? {} : { seed }),
    ...(frames.length === 0 ? {} : { frame_images: frames }),
    ...(references.length === 0 ? {} : { input_references: references }),
  })
}

/** One of both: an upstream may take a size beside a resolution for a contradiction. */
function imageFields({ resolution, size, isSizeAsked }: VideoSubmission) {
  if (size !== null && isSizeAsked) return { size }
  return resolution === null ? {} : { resolution }
}

function jsonBody(value: Readonly<Record<string, unknown>>): FormBody {
  return { contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) }
}

function dataUrl({ contentType, bytes }: VideoFile): string {
  return `data:${contentType};base64,${bytes.toString('base64')}`
}
