import type { IncomingMessage } from 'node:http'
import type { FetchReader, FetchResponse } from '@svc/contract'

/** An answer of Node's client in the shape of `fetch`. @param signal of the request, whose reason breaks carry. */
export function answerOf(message: IncomingMessage, signal: AbortSignal): FetchResponse {
  const status = message.statusCode ?? 0
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headerOf(message, name) },
    text: async () => {
      const chunks: Uint8Array[] = []
      const reader = readerOf(message, signal)
      for (;;) {
        const { done, value } = await reader.read()
        if (done || value === undefined) return Buffer.concat(chunks).toString('utf8')
        chunks.push(value)
      }
    },
    body: { getReader: () => readerOf(message, signal) },
  }
}

function headerOf(message: IncomingMessage, name: string): string | null {
  const value = message.headers[name.toLowerCase()]
  return Array.isArray(value) ? value.join(', ') : (value ?? null)
}

function readerOf(message: IncomingMessage, signal: AbortSignal): FetchReader {
  const pieces = message[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  return {
    read: async () => {
      try {
        const { done = false, value } = await pieces.next()
        return done ? { done } : { done, value }
      } catch (error) {
        signal.throwIfAborted()
        throw error
      }
    },
    // Its connection is kept only where everything was read.
    cancel: async () => {
      if (!message.readableEnded) message.destroy()
    },
  }
}
