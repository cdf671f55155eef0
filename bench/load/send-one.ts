import type { Client } from 'undici'
import type { LoadTarget } from '../load-order.ts'

/** How much of an answer's end is kept, to see whether a stream came to its end, and of a failure, to report it. */
const TAIL_BYTES = 512

export interface OneAnswer {
  /** 0 when the connection failed. */
  readonly status: number
  /** The last bytes of the body, or the error's message. */
  readonly tail: string
}

const messages = [
  { role: 'system', content: 'You are a helpful assistant that answers in one short paragraph.' },
  { role: 'user', content: 'Tell me about the quick brown fox and the lazy dog, please. '.repeat(3) },
]
const request = { max_tokens: 256, temperature: 0.7, messages }

/** What is sent, and how it calls itself. */
export interface LoadBody {
  readonly type: string
  readonly content: string | Buffer
}

const json = (value: object): LoadBody => ({ type: 'application/json', content: JSON.stringify(value) })

const modelOf = ({ model = 'svc-gpt' }: LoadTarget): string => model

/** The body of every request for a whole chat. */
export function wholeBody(target: LoadTarget): LoadBody {
  return json({ model: modelOf(target), ...request })
}

/** The body of every request for a streamed chat. @param chunks the most of them; absent: as the upstream has. */
export function streamBody(target: LoadTarget, chunks?: number): LoadBody {
  const limit = chunks === undefined ? {} : { max_tokens: chunks }
  return json({ model: modelOf(target), ...request, ...limit, stream: true, stream_options: { include_usage: true } })
}

/**
 * Sends one request and reads its answer to the end. Never rejects.
 *
 * @param onData called for each piece of the answer.
 */
export function sendOne(client: Client, target: LoadTarget, body: LoadBody, onData?: () => void): Promise<OneAnswer> {
  const { promise, resolve } = Promise.withResolvers<OneAnswer>()
  let status = 0
  let tail = Buffer.alloc(0)
  client.dispatch(
    {
      path: target.path,
      method: 'POST',
      headers: { 'content-type': body.type, authorization: `Bearer ${target.key}`, ...target.headers },
      body: body.content,
    },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, statusCode) => {
        status = statusCode
      },
      onResponseData: (_controller, chunk) => {
        // A copy, since the piece is only leased.
        tail = Buffer.from(chunk.subarray(-TAIL_BYTES))
        onData?.()
      },
      onResponseEnd: () => resolve({ status, tail: tail.toString('utf8') }),
      onResponseError: (_controller, error) => resolve({ status: 0, tail: error.message }),
    },
  )
  return promise
}
