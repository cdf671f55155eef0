import { type Egress, ForbiddenAddressError } from './egress-guard.ts'
import { upstreamFailure } from './upstream-failure.ts'
import { requestContent } from './video-content.ts'
import type { OpenedContent, WantedOutput } from './video-upstream.ts'

/** Redirects that are followed at most. */
const HOPS_MAX = 3

/**
 * Reads a video from an address that an upstream has named, without the upstream's key.
 *
 * @throws {ServiceError} when the address is not allowed, or cannot be read now.
 */
export async function openExternalVideo(
  { egress, upstream }: { readonly egress: Egress; readonly upstream: string },
  address: URL,
  wanted: Pick<WantedOutput, 'range' | 'signal'>,
): Promise<OpenedContent> {
  let url = address
  for (let hop = 0; hop <= HOPS_MAX; hop++) {
    check(egress, upstream, url)
    const headers = { 'user-agent': 'svc-gateway', 'accept-encoding': 'identity' }
    const path = `${url.pathname}${url.search}`
    const { dispatcher } = egress
    const found = await requestContent({ upstream, dispatcher, origin: url.origin, headers, path }, wanted)
    if (found.kind !== 'elsewhere') return found
    const next = URL.parse(found.location, url.href)
    if (next === null) break
    url = next
  }
  throw upstreamFailure('broken', { upstream, upstreamCodes: ['too_many_redirects'] })
}

function check(egress: Egress, upstream: string, url: URL): void {
  try {
    egress.check(url)
  } catch (error) {
    if (!(error instanceof ForbiddenAddressError)) throw error
    throw upstreamFailure('broken', { upstream, upstreamCodes: ['forbidden_address'], cause: error })
  }
}
