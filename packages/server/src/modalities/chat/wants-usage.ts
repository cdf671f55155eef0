import type { ChatCall } from './parse-chat.ts'

/**
 * Says whether a stream shall end with its usage: asked for by `stream_options.include_usage`, or by `usage.include`,
 * which clients made for OpenRouter send in its place.
 */
export function wantsUsage({ body, request }: ChatCall): boolean {
  if (request.stream_options?.include_usage === true) return true
  const { usage } = body.value
  return typeof usage === 'object' && usage !== null && 'include' in usage && usage.include === true
}
