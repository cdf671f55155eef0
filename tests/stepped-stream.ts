/** Streams without a limit of output, whose upstream goes on when a test says so. */
import type { ServerResponse } from 'node:http'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  type StubUpstream,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'

export interface SteppedStream {
  /** Sends text of so many bytes in one chunk. Four bytes count as a token until the usage is known. */
  readonly send: (bytes: number) => Promise<void>
  readonly finish: (tokens: number) => Promise<void>
}

/** Sends text of so many bytes in one chunk. */
export const sendText = (response: ServerResponse, bytes: number): void =>
  sendEvent(response, chunkText({ content: 'x'.repeat(bytes) }))

/** Has the next stream of an upstream wait for what a test sends. */
export function steppedStream(stub: StubUpstream): SteppedStream {
  const started = Promise.withResolvers<ServerResponse>()
  stub.onChat = (call, response) => {
    if (call.json?.['stream'] !== true) return sendCompletion(response)
    beginStream(response)
    started.resolve(response)
  }
  return {
    send: async (bytes) => sendText(await started.promise, bytes),
    finish: async (tokens) => {
      const response = await started.promise
      sendEvent(response, chunkText({}, 'stop'))
      sendEvent(response, usageText({ prompt_tokens: 10, completion_tokens: tokens }))
      sendEvent(response, '[DONE]')
      response.end()
    },
  }
}
