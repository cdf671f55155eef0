/**
 * The way to the gateway: what the typed client needs of `fetch`, over Node's own HTTP client.
 *
 * Not the global `fetch`: loading it takes longer than the rest of a short command together. It follows no redirect,
 * since a key belongs to the address that its owner has named.
 */
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import type { Socket } from 'node:net'
import type { Fetch, FetchRequest } from '@svc/contract'
import { agentsFor, type Agents } from './agents.ts'
import { answerOf } from './answer.ts'
import { connectionFailure, redirected } from './connection-failure.ts'

/** How long a connection may take to be made, in milliseconds. */
const CONNECT_MS = 10_000
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308])

/** @param environment of which the proxy variables are obeyed. */
export function createTransport(environment: Readonly<Record<string, string | undefined>>): Fetch {
  const agents = agentsFor(environment)
  return async (url, request) => {
    const target = new URL(url)
    try {
      const message = await exchange(agents, target, request)
      const { location } = message.headers
      if (!REDIRECTS.has(message.statusCode) || location === undefined) return answerOf(message, request.signal)
      message.destroy()
      throw redirected(target, location)
    } catch (error) {
      request.signal.throwIfAborted()
      throw connectionFailure(target, error)
    }
  }
}

function exchange(agents: Agents, target: URL, request: FetchRequest): Promise<IncomingMessage> {
  request.signal.throwIfAborted()
  const { headers, body } = writtenBody(request)
  const send = agents.senderFor(target)
  const options: RequestOptions = {
    method: request.method,
    headers: { ...request.headers, ...headers, 'accept-encoding': 'identity' },
    agent: agents.agentFor(target),
    signal: request.signal,
  }
  return new Promise((resolve, reject) => {
    const sent = send(target, options)
    limitConnecting(sent, target)
    sent.once('response', resolve)
    // Stays, so that what happens to the socket after the answer has begun is read from the answer alone.
    sent.on('error', reject)
    if (body === null || typeof body === 'string') sent.end(body ?? undefined)
    else void pour(body, sent)
  })
}

interface WrittenBody {
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: string | AsyncIterable<Uint8Array> | null
}

/** A form is written by the platform, whose fetch is loaded for it: files take longer than that. */
function writtenBody({ body, method }: FetchRequest): WrittenBody {
  if (body === undefined) return { headers: method === 'GET' ? {} : { 'content-length': 0 }, body: null }
  if (typeof body === 'string') return { headers: { 'content-length': Buffer.byteLength(body) }, body }
  const form = new Response(body)
  return { headers: { 'content-type': form.headers.get('content-type') ?? '' }, body: form.body }
}

/** Writes a long body as fast as it is taken. An answer may come before its end: then the rest is not sent. */
async function pour(body: AsyncIterable<Uint8Array>, sent: ClientRequest): Promise<void> {
  try {
    for await (const bytes of body) {
      if (sent.destroyed) return
      if (!sent.write(bytes)) await drained(sent)
    }
    sent.end()
  } catch (error) {
    sent.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

function drained(sent: ClientRequest): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      sent.off('drain', go).off('close', go)
      resolve()
    }
    sent.once('drain', go).once('close', go)
  })
}

function limitConnecting(sent: ClientRequest, target: URL): void {
  const timer = setTimeout(() => {
    sent.destroy(Object.assign(new Error('The connection takes too long.'), { code: 'ETIMEDOUT' }))
  }, CONNECT_MS)
  const stop = (): void => clearTimeout(timer)
  sent.once('close', stop).once('response', stop)
  sent.once('socket', (socket: Socket) => {
    if (socket.connecting) socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', stop)
    else stop()
  })
}
