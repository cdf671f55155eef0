import type { Egress } from './egress-guard.ts'
import { collectResponse } from './http-exchange.ts'
import type { Render } from './image-upstream.ts'
import { typeOfImage } from './render.ts'
import type { UpstreamClient } from './upstream-client.ts'

/** Largest image that is fetched, in bytes. Source: own choice; the largest that may be given is as large. */
const RENDER_BYTES_MAX = 50 * 1024 * 1024
/** Longest time for one, in milliseconds. Source: own choice. */
const FETCH_MS = 60_000
const IMAGE_TYPE = /^image\/[\w.+-]{1,50}/i

/** Ways to an upstream's images: its own server with its key, and all others without. */
export interface RenderRoutes {
  readonly client: UpstreamClient
  readonly egress: Egress
}

/**
 * Fetches an image that an upstream only names. Its own origin is asked as it always is; any other only over TLS, at
 * a public address, without a key. No redirect is followed.
 *
 * @returns null when it cannot be had, or is no image.
 */
export async function fetchRender(
  { client, egress }: RenderRoutes,
  address: string,
  signal: AbortSignal,
): Promise<Pick<Render, 'base64' | 'mediaType'> | null> {
  const url = URL.parse(address, `${client.origin}${client.basePath}/`)
  if (url === null) return null
  const isOwn = url.origin === client.origin
  try {
    if (!isOwn) egress.check(url)
    const answer = await collectResponse(
      isOwn ? client.dispatcher : egress.dispatcher,
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'GET',
        headers: isOwn ? client.headers : { 'user-agent': 'svc-gateway', 'accept-encoding': 'identity' },
        body: null,
      },
      { signal: AbortSignal.any([signal, AbortSignal.timeout(FETCH_MS)]), bytesMax: RENDER_BYTES_MAX },
    )
    if (answer.status !== 200 || answer.body.length === 0) return null
    const declared = IMAGE_TYPE.exec(answer.headers['content-type'] ?? '')?.[0] ?? null
    const mediaType = typeOfImage(answer.body, declared)
    return mediaType === null ? null : { base64: answer.body.toString('base64'), mediaType }
  } catch {
    // An image that cannot be fetched has not come; why it is so changes nothing for the caller.
    return null
  }
}
