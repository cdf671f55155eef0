/** What a browser does, without one: keeps cookies and names its origin. */

export interface BrowserSession {
  /** Calls an address below `/api` as a page of the console does. @param body a form, or what is sent as JSON. */
  call(method: string, path: string, body?: unknown, more?: Readonly<Record<string, string>>): Promise<Response>
  /** The same, parsed. @throws when the answer is no success. */
  json<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T>
  readonly cookies: Map<string, string>
  readonly origin: string
}

/** @param baseUrl of the gateway; ends in `/api`. */
export function createBrowserSession(baseUrl: string, headers: Readonly<Record<string, string>> = {}): BrowserSession {
  const origin = new URL(baseUrl).origin
  const cookies = new Map<string, string>()
  const call: BrowserSession['call'] = async (method, path, body, more = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        origin,
        ...(cookie === '' ? {} : { cookie }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
        ...more,
      },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  return {
    call,
    cookies,
    origin,
    json: async <T>(method: string, path: string, body?: unknown) => {
      const response = await call(method, path, body)
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
      return JSON.parse(text) as T
    },
  }
}
