/** How the typed client writes a call as an HTTP request. */
import { trimEndOf } from './digits.ts'
import type { CallableEndpoint } from './endpoints/endpoint.ts'
import type { CallOptions, ClientOptions, FetchRequest, FetchResponse } from './client-types.ts'

/** The parts of a call, whatever its row. */
export interface AnyInput {
  readonly form?: Readonly<Record<string, unknown>>
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: Readonly<Record<string, unknown>>
}

export interface Call {
  readonly input: AnyInput
  readonly options: CallOptions
}

/** A call as it is sent, however often that is. */
export interface WrittenCall {
  readonly url: string
  readonly request: Omit<FetchRequest, 'signal'>
}

/**
 * Writes a call down before it is sent, so that the program learns of its own mistake at once, and never as a failure of
 * the connection.
 *
 * @throws {TypeError} for a path parameter that is no text or is empty, and for a body that JSON has no form for.
 */
export function writeCall(client: ClientOptions, endpoint: CallableEndpoint, { input }: Call): WrittenCall {
  const { body, form } = input
  return {
    url: urlOf(client.baseUrl, endpoint, input),
    request: {
      method: endpoint.method,
      headers: {
        accept: acceptOf(endpoint),
        ...(client.key === undefined ? {} : { authorization: `Bearer ${client.key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(form === undefined ? {} : { body: formDataOf(form) }),
    },
  }
}

/** Sends a call once. @throws what `fetch` throws. */
export async function send(
  client: ClientOptions,
  { url, request }: WrittenCall,
  { options }: Call,
  signal: AbortSignal,
): Promise<FetchResponse> {
  const headers = { ...request.headers, ...options.headers }
  const response = await (client.fetch ?? globalThis.fetch)(url, { ...request, headers, signal })
  options.onResponse?.(response)
  return response
}

function acceptOf({ reply }: CallableEndpoint): string {
  const types = ['application/json', ...(reply.event === undefined ? [] : ['text/event-stream'])]
  return reply.bytes === undefined ? types.join(', ') : '*/*'
}

/** Fields that are not set are not sent; of a list each entry is a field of its own. */
function formDataOf(form: Readonly<Record<string, unknown>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(form)) {
    for (const entry of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (entry instanceof Blob) data.append(name, entry)
      else if (entry !== undefined && entry !== null) data.append(name, String(entry as string | number | boolean))
    }
  }
  return data
}

function urlOf(baseUrl: string, endpoint: CallableEndpoint, input: AnyInput): string {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
    const value = input.path?.[name]
    if (typeof value !== 'string' || value === '') {
      throw new TypeError(`The path parameter '${name}' has to be a text that is not empty.`)
    }
    return name === 'id' ? encodePath(value) : encodeURIComponent(value)
  })
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (typeof value === 'string' || typeof value === 'number') query.set(name, String(value))
  }
  const search = query.size === 0 ? '' : `?${query.toString()}`
  return `${trimEndOf(baseUrl, '/')}${path}${search}`
}

const STEPS: ReadonlySet<string> = new Set(['', '.', '..'])

/** An id may have slashes, which some proxies refuse or change where they are escaped. It never leads elsewhere. */
function encodePath(id: string): string {
  const segments = id.split('/')
  return segments.some((segment) => STEPS.has(segment))
    ? encodeURIComponent(id)
    : segments.map(encodeURIComponent).join('/')
}
