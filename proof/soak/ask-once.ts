import { type Agent, request as startRequest } from 'node:http'

/** How one request ended: `whole` has its charge, and for a stream its `[DONE]`. */
export interface Answer {
  readonly end: 'whole' | 'failed' | 'cut'
  readonly status: number | null
  /** What the connection ended with, such as `ECONNRESET`; null where it ended in order. */
  readonly error: string | null
  readonly ms: number
}

export interface Asking {
  readonly port: number
  readonly rawKey: string
  readonly agent: Agent
  readonly stream: boolean
  /** Called at the first byte of the body. */
  readonly onFirst?: () => void
}

/** Characters of an answer that are kept: its end, where the charge is. */
const TAIL = 2_000

/** Asks once. Never rejects. */
export function askOnce({ port, rawKey, agent, stream, onFirst }: Asking): Promise<Answer> {
  const startedAt = performance.now()
  const messages = [{ role: 'user', content: 'Say hello.' }]
  const body = JSON.stringify({ model: 'svc-gpt', messages, max_tokens: 100, ...(stream ? { stream } : {}) })
  const headers = { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' }
  const target = { host: '127.0.0.1', port, agent, method: 'POST', path: '/api/v1/chat/completions', headers }
  return new Promise((resolve) => {
    let tail = ''
    let status: number | null = null
    let error: string | null = null
    const onError = (reason: NodeJS.ErrnoException): void => {
      error ??= reason.code ?? reason.message
    }
    const request = startRequest(target, (response) => {
      status = response.statusCode ?? null
      response.once('data', () => onFirst?.())
      response.setEncoding('utf8').on('data', (text: string) => {
        tail = (tail + text).slice(-TAIL)
      })
      response.on('error', onError)
    })
    request.on('error', onError)
    request.once('close', () => {
      const isWhole = tail.includes('"svc":') && (!stream || tail.endsWith('data: [DONE]\n\n'))
      const end = status === null || (status === 200 && !isWhole) ? 'cut' : status === 200 ? 'whole' : 'failed'
      resolve({ end, status, error, ms: performance.now() - startedAt })
    })
    request.end(body)
  })
}
