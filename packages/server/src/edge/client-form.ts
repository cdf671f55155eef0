/** Which API a client speaks, where an address answers clients of several. Source: decisions 0127 and 0129. */
import type { IncomingHttpHeaders } from 'node:http'

interface Asked {
  readonly headers: IncomingHttpHeaders
  readonly url: string
}

/** Clients of Anthropic's API send its version with every request. */
export function speaksAnthropic({ headers }: Pick<Asked, 'headers'>): boolean {
  return headers['anthropic-version'] !== undefined
}

/** OpenRouter's own SDKs, in whatever language they are made. */
const OPENROUTER_SDK = /^speakeasy-sdk\/.*openrouter/i
/** Addresses that are OpenRouter's alone. */
const OPENROUTER_PATHS = /^\/api\/v1\/(?:key|credits|generation)(?:[/?]|$)/

/**
 * Whether a client reads errors as OpenRouter writes them: one of its SDKs, by its user agent or in a browser by its
 * headers, or any client that asks at an address of OpenRouter. Other clients that are told to send those headers, such as
 * OpenAI's, send `x-stainless-…` as well.
 */
export function speaksOpenRouter({ headers, url }: Asked): boolean {
  if (OPENROUTER_SDK.test(headers['user-agent'] ?? '') || OPENROUTER_PATHS.test(url)) return true
  const isNamed = 'x-openrouter-title' in headers || 'x-openrouter-categories' in headers
  return isNamed && !('x-stainless-lang' in headers)
}
