/** An upstream that always answers well, and can keep its streams open. */
import type { ServerResponse } from 'node:http'
import { EVENTS_TYPE, frame, play } from '../../packages/server/testing/scripted-answer.ts'
import {
  beginStream,
  chunkText,
  sendCompletion,
  startStubUpstream,
  usageText,
} from '../../packages/server/testing/stub-upstream.ts'

export interface SteadyUpstream {
  /** Base address, ending in `/v1`. */
  readonly url: string
  /** From now on streams stay open, with one chunk in each interval, until they are released. */
  hold(intervalMs: number): void
  /** Ends all open streams in order. */
  release(): void
  close(): Promise<void>
}

/** Thousands of connections come at once. */
const BACKLOG = 4_096
const CHUNKS = 10
const CHUNK_MS = 20
const USAGE = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 } as const
const COST = '0.0001'

const WORD = frame(chunkText({ content: 'word ' }))
const END = `${frame(chunkText({}, 'stop'))}${frame(usageText(USAGE, COST))}${frame('[DONE]')}`
const STREAM = [...Array.from({ length: CHUNKS }, () => [CHUNK_MS, WORD]).flat(), CHUNK_MS, END]

/** Starts it. */
export async function startSteadyUpstream(): Promise<SteadyUpstream> {
  let intervalMs: number | null = null
  const held = new Map<ServerResponse, NodeJS.Timeout>()
  const keep = (response: ServerResponse, every: number): void => {
    beginStream(response)
    response.write(WORD)
    held.set(
      response,
      setInterval(() => response.write(WORD), every),
    )
    response.once('close', () => {
      clearInterval(held.get(response))
      held.delete(response)
    })
  }
  const { url, close } = await startStubUpstream({
    backlog: BACKLOG,
    async handler({ method, wantsStream }, response) {
      if (method !== 'POST') return void response.writeHead(404).end('{}')
      if (!wantsStream) return sendCompletion(response, { text: 'Hello there', usage: USAGE, cost: COST })
      if (intervalMs !== null) return keep(response, intervalMs)
      await play(response, { headers: EVENTS_TYPE, pieces: STREAM })
    },
  })
  return {
    ...{ url, close },
    hold: (every) => {
      intervalMs = every
    },
    release: () => {
      for (const [response, timer] of held) {
        clearInterval(timer)
        response.end(END)
      }
    },
  }
}
