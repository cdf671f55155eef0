/** Which API a client speaks, where an address answers clients of several. Source: decisions 0127 and 0129. */
import type { IncomingHttpHeaders } from 'node:http'

/** Clients of Anthropic's API send its version with every request. */
export function speaksAnthropic({ headers }: { readonly headers: IncomingHttpHeaders }): boolean {
  return headers['anthropic-version'] !== undefined
}
