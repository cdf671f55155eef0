/** Requests of several kinds, one after the other in a few loops, so that a dashboard has something to show. */

export interface LoadTarget {
  /** Asks as the account's key, below `/api`. */
  fetch(path: string, init: RequestInit): Promise<Response>
}

const MESSAGES = [{ role: 'user', content: 'Say hello to a dashboard.' }]

const REQUESTS: readonly (readonly [path: string, body: object])[] = [
  ['/v1/chat/completions', { model: 'svc-gpt', messages: MESSAGES, stream: true }],
  ['/v1/chat/completions', { model: 'svc-gpt', messages: MESSAGES }],
  ['/v1/chat/completions', { model: 'svc-sandbox/503', messages: MESSAGES }],
  ['/v1/chat/completions', { model: 'no-such-model', messages: MESSAGES }],
  ['/v1/responses', { model: 'svc-gpt', input: 'Say hello.' }],
  ['/v1/images/generations', { model: 'svc-image', prompt: 'A lamp.', size: '1024x1024' }],
]

/** Starts the loops. @returns what stops them, and waits for what runs. */
export function startMixedLoad(target: LoadTarget, loops: number): () => Promise<void> {
  let isOver = false
  const loop = async (first: number): Promise<void> => {
    for (let turn = first; !isOver; turn++) {
      const [path, body] = REQUESTS[turn % REQUESTS.length] ?? ['', {}]
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
      const answer = await target.fetch(path, init)
      await answer.arrayBuffer().catch(() => undefined)
    }
  }
  const running = Array.from({ length: loops }, (_, at) => loop(at))
  return async () => {
    isOver = true
    await Promise.all(running)
  }
}
