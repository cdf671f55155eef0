import { type MediaType, mediaTypes } from '@svc/contract'
import type { BillingDeps } from '../money/billing/open-hold.ts'
import type { RoutingDeps } from './routing-deps.ts'
import type { ImageDeps } from '../modalities/images/image-work.ts'
import type { Parts } from './open-parts.ts'

/** How long the address of an image holds, in milliseconds. Source: OpenAI's API reference, image URLs. */
const ADDRESS_MS = 3_600_000

/** Images in a form that files are not kept in go out as what they are closest to. */
function keptType(mediaType: string): MediaType {
  return mediaTypes.find((type) => type === mediaType) ?? 'image/png'
}

async function* oneChunk(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

/** What the requests for images are given. Part of the composition. */
export function wireImages(
  parts: Parts,
  {
    billing,
    routing,
    publicBaseUrl,
  }: {
    readonly billing: BillingDeps
    readonly routing: RoutingDeps
    readonly publicBaseUrl: () => string
  },
): ImageDeps {
  const { clock, config, media } = parts
  return {
    ...billing,
    ...routing,
    catalog: parts.catalog.catalog,
    keepImage: async ({ bytes, mediaType }) => {
      const expiresAt = clock.now() + ADDRESS_MS
      const contentType = keptType(mediaType)
      const { name } = await media.files.put({
        source: oneChunk(bytes),
        contentType,
        expiresAt,
        bytesMax: bytes.length,
      })
      return `${publicBaseUrl()}${media.signer.sign(`/v1/media/${name}`, expiresAt)}`
    },
    get firstContentMs() {
      return config.limits.firstContentMs
    },
  }
}
