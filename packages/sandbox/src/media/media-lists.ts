import { formatUsd, type ImagePrices, type VideoPrices } from '../prices.ts'
import type { PlayedModel } from '../model-list.ts'
import type { MediaType } from './media-faults.ts'

/** The answers of `GET /images/models` and `GET /videos/models`, and what `GET /models` says of audio. */
export function renderMediaList(models: readonly PlayedModel[], type: MediaType): string {
  return JSON.stringify({ data: models.flatMap((model) => renderMedia(model, type) ?? []) })
}

function renderMedia(model: PlayedModel, type: MediaType): Readonly<Record<string, unknown>> | null {
  const { media } = model
  if (media === undefined || media.type !== type) return null
  const base = {
    id: model.id,
    canonical_slug: model.id,
    name: model.id,
    created: 0,
    description: 'Played by the sandbox.',
  }
  switch (media.type) {
    case 'image':
      return {
        ...base,
        architecture: modalities('image'),
        pricing: imagePricing(media),
        max_n: 10,
        supports_streaming: true,
      }
    case 'video':
      return {
        ...base,
        architecture: modalities('video'),
        pricing_skus: videoSkus(media),
        generate_audio: true,
        seed: true,
      }
    case 'speech':
      return { ...base, architecture: modalities('speech'), pricing: { [media.unit]: formatUsd(media.perUnit) } }
    case 'transcription':
      return { ...base, architecture: modalities('transcription'), pricing: { second: formatUsd(media.perSecond) } }
  }
}

function modalities(output: string): Readonly<Record<string, unknown>> {
  return { input_modalities: output === 'transcription' ? ['audio'] : ['text', 'image'], output_modalities: [output] }
}

function imagePricing(media: ImagePrices): Readonly<Record<string, string>> {
  const input = media.perInputImage === null ? {} : { image: formatUsd(media.perInputImage) }
  return { image_output: formatUsd(media.perImage), ...input }
}

function videoSkus(media: VideoPrices): Readonly<Record<string, string>> {
  const variants = media.variants.map(({ resolution, audio, perSecond }) => {
    const suffix = audio === null ? '' : audio ? '_with_audio' : '_without_audio'
    return [`duration_seconds${suffix}${resolution === null ? '' : `_${resolution}`}`, formatUsd(perSecond)]
  })
  return { duration_seconds: formatUsd(media.perSecond), ...Object.fromEntries(variants) }
}
