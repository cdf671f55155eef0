/** What a request for a video means for one model: every setting that decides the price is made explicit here. Pure. */
import { VIDEO_SECONDS_MAX, type VideoRequest } from '@svc/contract'
import type { MediaOfferOf } from '../../catalog/media-offer.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { VideoFile, VideoFrame, VideoReference, VideoSubmission } from '../../upstreams/video-upstream.ts'
import { framePixels, resolutionOfPixels } from './video-resolution.ts'

export type VideoOffer = MediaOfferOf<'video'>

/** Everything of a submission but where it goes. */
export type VideoSettings = Omit<VideoSubmission, 'upstreamModel' | 'signal'>

/** Taken where a request names no length and the model allows it. Source: decision 0024. */
const SECONDS_DEFAULT = 5

/** The length of a video whose request names none. */
export function defaultSeconds(durations: readonly number[]): number {
  if (durations.length === 0 || durations.includes(SECONDS_DEFAULT)) return SECONDS_DEFAULT
  return Math.min(...durations)
}

/**
 * Reads a request by what its model can do.
 *
 * @param file an image that came as a file; null for none.
 * @throws {ServiceError} 400 naming the field: what the model cannot do, what contradicts itself, or nothing to go by.
 */
export function chooseSettings(request: VideoRequest, offer: VideoOffer, file: VideoFile | null): VideoSettings {
  const frames = readFrames(request, offer)
  const references = readReferences(request)
  const prompt = readPrompt(request, frames.length + references.length > 0 || file !== null)
  const image = chooseResolution(request, offer)
  return {
    ...{ prompt, frames, references, file, ...image },
    seconds: chooseSeconds(request, offer.facts.durations),
    aspectRatio: chooseAspectRatio(request, offer),
    hasAudio: chooseAudio(request, offer),
    seed: request.seed ?? null,
  }
}

/** Images that the request gives, in whatever form: upstreams may sell them. */
export function countImages({ frames, references, file }: VideoSettings): number {
  return frames.length + references.filter(({ type }) => type === 'image_url').length + (file === null ? 0 : 1)
}

function invalid(param: string, message: string): ServiceError {
  return new ServiceError('invalid_value', `Invalid value for '${param}': ${message}`, { param })
}

function readPrompt({ prompt }: VideoRequest, hasImages: boolean): string | null {
  const text = prompt ?? ''
  if (text.trim() !== '') return text
  if (hasImages) return null
  throw new ServiceError('empty_content', 'The request has no content. You were not charged.', { param: 'prompt' })
}

function chooseSeconds({ duration, seconds }: VideoRequest, durations: readonly number[]): number {
  const param = typeof duration === 'number' ? 'duration' : 'seconds'
  const bySeconds = typeof seconds === 'string' ? Number(seconds) : null
  if (typeof duration === 'number' && bySeconds !== null && duration !== bySeconds) {
    throw invalid('seconds', 'it contradicts `duration`.')
  }
  const asked = duration ?? bySeconds
  if (asked === null) return defaultSeconds(durations)
  if (durations.length > 0 && !durations.includes(asked)) {
    throw invalid(param, `this model makes videos of ${durations.join(', ')} seconds.`)
  }
  if (asked < 1 || asked > VIDEO_SECONDS_MAX) {
    throw invalid(param, `expected whole seconds from 1 to ${VIDEO_SECONDS_MAX}.`)
  }
  return asked
}

/** The entry of a list that a text names, whatever its case; null when it is not in it. */
function listed(list: readonly string[], text: string): string | null {
  return list.find((entry) => entry.toLowerCase() === text.toLowerCase()) ?? null
}

function chooseResolution(
  { resolution, size, aspect_ratio: aspectRatio }: VideoRequest,
  { facts, prices }: VideoOffer,
): Pick<VideoSettings, 'resolution' | 'size' | 'isSizeAsked'> {
  const known = facts.resolutions
  const asked =
    typeof resolution === 'string' ? (listed(known, resolution) ?? (known.length === 0 ? resolution : null)) : null
  if (typeof resolution === 'string' && asked === null) {
    throw invalid('resolution', `this model makes videos of ${known.join(', ')}.`)
  }
  if (typeof size !== 'string') {
    const chosen = asked ?? prices.defaultResolution
    const pixels = chosen === null ? null : framePixels(chosen, aspectRatio ?? null)
    return { resolution: chosen, size: pixels, isSizeAsked: false }
  }
  if (facts.sizes.length > 0 && !facts.sizes.includes(size)) {
    throw invalid('size', `this model makes videos of ${facts.sizes.join(', ')}.`)
  }
  const bySize = resolutionOfPixels(size, known)
  if (asked !== null && bySize !== null && asked !== bySize) throw invalid('size', 'it contradicts `resolution`.')
  return { resolution: asked ?? bySize, size, isSizeAsked: true }
}

function chooseAspectRatio({ aspect_ratio: asked, size }: VideoRequest, { facts }: VideoOffer): string | null {
  if (typeof asked !== 'string') return null
  if (typeof size === 'string') {
    throw new ServiceError('unsupported_parameter', "Unsupported parameter: 'aspect_ratio' beside 'size'.", {
      param: 'aspect_ratio',
    })
  }
  if (facts.aspectRatios.length > 0 && !facts.aspectRatios.includes(asked)) {
    throw invalid('aspect_ratio', `this model makes videos of ${facts.aspectRatios.join(', ')}.`)
  }
  return asked
}

function chooseAudio({ generate_audio: asked }: VideoRequest, { facts, prices }: VideoOffer): boolean | null {
  if (typeof asked !== 'boolean') return prices.defaultAudio
  const sold = prices.variants.flatMap(({ audio }) => audio ?? [])
  const isKnown = facts.generatesAudio !== false || !asked
  if (isKnown && (sold.length === 0 || sold.includes(asked))) return asked
  throw new ServiceError(
    'unsupported_parameter',
    `Unsupported parameter: this model makes videos ${asked ? 'without' : 'with'} audio only.`,
    { param: 'generate_audio' },
  )
}

function readFrames(
  { frame_images: frames, input_reference: reference }: VideoRequest,
  { facts }: VideoOffer,
): VideoFrame[] {
  if (typeof reference?.file_id === 'string') {
    throw new ServiceError('unsupported_parameter', 'Unsupported parameter: files are not kept here.', {
      param: 'input_reference.file_id',
    })
  }
  const first =
    typeof reference?.image_url === 'string'
      ? [{ url: checkedUrl(reference.image_url), place: 'first_frame' as const }]
      : []
  const named = (frames ?? []).map(({ image_url: { url }, frame_type: place }) => ({ url, place }))
  const places = named.map(({ place }) => place)
  if (new Set(places).size < places.length) throw invalid('frame_images', 'two images have the same place.')
  const missing =
    facts.frameImages.length === 0 ? undefined : places.find((place) => !facts.frameImages.includes(place))
  if (missing !== undefined) throw invalid('frame_images', `this model takes ${facts.frameImages.join(', ')}.`)
  return [...first, ...named]
}

function checkedUrl(url: string): string {
  if (/^(https?:\/\/|data:)/i.test(url)) return url
  throw invalid('input_reference.image_url', 'expected an https: or data: address.')
}

function readReferences({ input_references: references }: VideoRequest): VideoReference[] {
  return (references ?? []).map((reference, index) => {
    const url = reference[reference.type]?.url
    if (typeof url === 'string') return { type: reference.type, url }
    const param = `input_references.${index}.${reference.type}`
    throw new ServiceError('missing_required_parameter', `Missing required parameter: '${param}'.`, { param })
  })
}
