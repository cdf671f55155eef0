import { request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'

export interface RawRequest {
  readonly method?: string
  /** Sent as it is: no library takes `..` out of it. */
  readonly path: string
  /** Names and values, one after the other: a name may appear twice. */
  readonly headers?: readonly string[]
  readonly body?: string
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** What came behind the body. */
  readonly trailers: Readonly<Record<string, unknown>>
  readonly text: string
}

/**
 * Sends a request byte for byte, as no well-behaved client would. @param origin of the gateway, with or without a path.
 */
export function rawRequest(
  origin: string,
  { method = 'GET', path, headers = [], body }: RawRequest,
): Promise<RawAnswer> {
  const { hostname, port, host } = new URL(origin)
  const named = [...(headers.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'host') ? [] : ['host', host])]
  const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))]
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { hostname, port, method, path, headers: [...named, ...headers, ...length], agent: false },
      (response) => {
        text(response).then((whole) => {
          const { statusCode: status = 0, headers: answered, trailers } = response
          resolve({ status, headers: answered, trailers, text: whole })
        }, reject)
      },
    )
    request.on('error', reject)
    request.end(body)
  })
}
