/** A plain client of a gateway for tests: a key, and whatever a test wants to send. */

export type RequestOptions = RequestInit & {
  /** Sent instead of the client's own; null sends none. */
  readonly key?: string | null
}

export interface ChatClient {
  /** Calls a path below the base URL with the key. */
  fetch(path: string, init?: RequestOptions): Promise<Response>
  /** Posts a chat body: an object, or the exact text. */
  chat(body: object | string, init?: RequestOptions): Promise<Response>
}

/** Makes one for a base URL that ends in `/api`. */
export function createChatClient(baseUrl: string, key: string): ChatClient {
  const call: ChatClient['fetch'] = (path, init = {}) => {
    const headers = new Headers(init.headers)
    const used = init.key === undefined ? key : init.key
    if (used !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${used}`)
    return fetch(`${baseUrl}${path}`, { ...init, headers })
  }
  return {
    fetch: call,
    chat: (body, init = {}) =>
      call('/v1/chat/completions', {
        method: 'POST',
        ...init,
        headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}
