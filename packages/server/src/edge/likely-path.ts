/** Longer paths are not looked at: no endpoint's address is near. */
const LENGTH_MAX = 200

/**
 * The address that a wrong path was likely meant for: clients are given the base URL without `/api` or `/v1`, or with
 * one of them twice.
 *
 * @param exists whether an endpoint is at a path.
 * @returns null when no endpoint is at any of them.
 */
export function likelyPath(path: string, exists: (path: string) => boolean): string | null {
  if (path.length > LENGTH_MAX) return null
  const rest = path.replace(/^(?:\/(?:api|v1))+(?=\/)/, '')
  return [`/api/v1${rest}`, `/api${rest}`].find((candidate) => candidate !== path && exists(candidate)) ?? null
}
