/** One request of a client that behaves well or badly, and what it has received. */
import { type Agent, type IncomingMessage, request as startRequest } from 'node:http'

/** How a client can behave. */
export type Manners =
  | { readonly kind: 'polite' }
  /** Waits between two reads, in milliseconds. */
  | { readonly kind: 'slow'; readonly pauseMs: number }
  /** Hangs up once so many bytes of the answer have come. */
  | { readonly kind: 'hang_up'; readonly afterBytes: number }
  /** Hangs up so long after the question, in milliseconds, unless the answer is whole by then. */
  | { readonly kind: 'leave'; readonly afterMs: number }
  /** Sends a part of the body and goes. */
  | { readonly kind: 'half_body' }

/** How an attempt ended, as the client saw it. */
export type AttemptEnd =
  /** A whole answer with its charge; of a video, that it was taken. */
  | 'whole'
  /** An error with a status of its own, received whole. */
  | 'refused'
  /** A stream that ended with an error event. */
  | 'failed_stream'
  /** The connection broke. */
  | 'broken'
  /** No server listened. */
  | 'unreachable'
  /** The client itself went. */
  | 'left'
  /** Nothing ended it in time: always a fault. */
  | 'hung'
  /** An answer that no client could understand: always a fault. */
  | 'nonsense'

/**
 * An attempt that takes longer than this hangs, in milliseconds: waits for a database alone are limited to seconds
 * each, and every other wait of the gateway and the upstream is far shorter.
 */
export const HANG_MS = 60_000

export interface Received {
  /** Null as long as no head of an answer has come. */
  response: IncomingMessage | null
  body: string
  isComplete: boolean
  hasLeft: boolean
  hasHung: boolean
  isUnreachable: boolean
}

export interface AttemptRequest {
  readonly port: number
  /** Below `/api`. */
  readonly path: string
  readonly rawKey: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

function listen(response: IncomingMessage, manners: Manners, received: Received, leave: () => void): void {
  received.response = response
  let bytes = 0
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    received.body += text
    bytes += text.length
    if (manners.kind === 'slow') {
      response.pause()
      setTimeout(() => response.resume(), manners.pauseMs)
    }
    if (manners.kind === 'hang_up' && bytes >= manners.afterBytes) leave()
  })
  response.on('end', () => void (received.isComplete = response.complete))
  response.on('error', () => undefined)
}

/** Sends a request once and takes in what comes. Never rejects. */
export function attempt(asked: AttemptRequest, manners: Manners, agent: Agent): Promise<Received> {
  const { port, path, rawKey, headers, body } = asked
  const received: Received = {
    ...{ response: null, body: '', isComplete: false, hasLeft: false, hasHung: false, isUnreachable: false },
  }
  return new Promise((resolve) => {
    const request = startRequest({
      ...{ host: '127.0.0.1', port, agent, method: 'POST', path: `/api${path}` },
      headers: { authorization: `Bearer ${rawKey}`, 'content-length': body.length, ...headers },
    })
    const leave = (why: 'hasLeft' | 'hasHung' = 'hasLeft'): void => {
      received[why] = true
      request.destroy()
    }
    const leaving = manners.kind === 'leave' ? setTimeout(leave, manners.afterMs) : undefined
    const hanging = setTimeout(leave, HANG_MS, 'hasHung')
    request.on('response', (response) => listen(response, manners, received, leave))
    request.on('error', (error) => {
      received.isUnreachable = 'code' in error && error.code === 'ECONNREFUSED'
    })
    request.once('close', () => {
      clearTimeout(leaving)
      clearTimeout(hanging)
      resolve(received)
    })
    if (manners.kind !== 'half_body') request.end(body)
    else request.write(body.subarray(0, body.length / 2), () => leave())
  })
}

/** A header of an answer; null without it. */
export function headerOf(response: IncomingMessage, name: string): string | null {
  const value = response.headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}
