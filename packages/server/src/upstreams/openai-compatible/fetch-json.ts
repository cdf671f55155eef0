import { parseJsonText } from '../../platform/json/parse-json.ts'
import { collectResponse } from '../http-exchange.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { transportFailure, upstreamFailure } from '../upstream-failure.ts'

/** Longest model list that is read. The largest known is below two megabytes. */
const LIST_BYTES_MAX = 32 * 1024 * 1024

/**
 * Fetches a JSON document below the base URL.
 * @param document.timeoutMs for the whole of it, headers and body.
 * @returns null when the answer is not 200 with JSON.
 * @throws {ServiceError} when the upstream cannot be reached or takes too long.
 */
export async function fetchJson(
  client: UpstreamClient,
  name: string,
  { path, timeoutMs }: { readonly path: string; readonly timeoutMs: number },
): Promise<{ text: Buffer; value: unknown } | null> {
  const headers = { ...client.headers, accept: 'application/json' }
  const request = {
    origin: client.origin,
    path: `${client.basePath}${path}`,
    method: 'GET',
    headers,
    body: null,
  } as const
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await collectResponse(client.dispatcher, request, { signal, bytesMax: LIST_BYTES_MAX })
    const value = parseJsonText(response.body)
    return response.status === 200 && value !== undefined ? { text: response.body, value } : null
  } catch (error) {
    throw signal.aborted ? upstreamFailure('timeout', { upstream: name, cause: error }) : transportFailure(name, error)
  }
}
