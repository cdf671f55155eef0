/** Requests for images in OpenRouter's form. Source: OpenRouter's API reference, "Create an image". */
import { ownMember } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { GivenImages, ImageSettings, UpstreamImageRequest } from '../image-upstream.ts'
import { type ImageBody, urlOf } from '../openai-compatible/image-body.ts'
import type { ProviderPreferences } from './provider-preferences.ts'

/** Qualities by the names that OpenRouter has for them. */
const qualityNames: Readonly<Record<string, string>> = { hd: 'high', standard: 'medium' }

/** @throws {ServiceError} `unsupported_parameter` for a mask, which has no place in a request. */
export function checkOpenRouterImages({ mask }: GivenImages): void {
  if (mask === null) return
  throw new ServiceError('unsupported_parameter', "Unsupported parameter: this model takes no 'mask'.", {
    param: 'mask',
  })
}

/** @param common preferences of every request. */
export function openRouterImageBody(common: ProviderPreferences) {
  return (request: UpstreamImageRequest, stream: boolean): ImageBody => buildBody(request, stream, common)
}

/** Writes a request. Images to change are images to go by: there is no other request for them. */
function buildBody(request: UpstreamImageRequest, stream: boolean, common: ProviderPreferences): ImageBody {
  const { settings } = request
  const fields = {
    model: request.upstreamModel,
    prompt: request.prompt,
    n: request.count,
    size: settings.size === 'auto' ? null : settings.size,
    resolution: settings.resolution,
    aspect_ratio: settings.aspectRatio,
    quality: settings.quality === null ? null : (ownMember(qualityNames, settings.quality) ?? settings.quality),
    output_format: settings.outputFormat,
    output_compression: settings.outputCompression,
    background: settings.background,
    seed: settings.seed,
    stream: stream ? true : null,
    input_references:
      request.inputs.length === 0
        ? null
        : request.inputs.map((image) => ({ type: 'image_url', image_url: { url: urlOf(image) } })),
    provider: providerOf(request.upstreamModel, settings, common),
  }
  const sent = Object.entries(fields).filter(([, value]) => value !== null)
  return {
    path: '/images',
    contentType: 'application/json',
    body: Buffer.from(JSON.stringify(Object.fromEntries(sent))),
  }
}

/** What OpenRouter itself does not know, and passes to the maker whose settings these are. */
function providerOf(model: string, settings: ImageSettings, common: ProviderPreferences) {
  const options = Object.entries({
    moderation: settings.moderation,
    input_fidelity: settings.inputFidelity,
    style: settings.style,
  }).filter(([, value]) => value !== null)
  const isPassed = options.length > 0 && model.startsWith('openai/')
  const provider = isPassed ? { ...common, options: { openai: Object.fromEntries(options) } } : common
  return Object.keys(provider).length === 0 ? null : provider
}
