/** An answer that was to come whole, and comes as events. */
import type { ChatStreamSink, UpstreamCompletion } from '../chat-upstream.ts'
import { type Exchange, ResponseTooLargeError } from '../http-exchange.ts'
import { upstreamFailure, withBill } from '../upstream-failure.ts'
import { ANSWER_BYTES_MAX } from './answer-bytes.ts'
import { AssembledAnswer } from './assembled-answer.ts'
import { readCompletion } from './completion.ts'
import type { Dialect } from './dialect.ts'

interface GatherDeps {
  /** Of the upstream. */
  readonly name: string
  readonly dialect: Pick<Dialect, 'reportsCost' | 'generationId'>
  /** Sequences of the request. */
  readonly stops: readonly string[]
}

const NOTHING = Buffer.alloc(0)

/** Puts the events of an answer together that should have come whole. */
export function gatherEvents(
  deps: GatherDeps,
  exchange: () => Exchange,
  settle: { readonly resolve: (answer: UpstreamCompletion) => void; readonly reject: (error: Error) => void },
): ChatStreamSink {
  const assembled = new AssembledAnswer()
  let length = 0
  let outputBytes = 0
  return {
    chunk: (members, facts) => {
      length += members.length
      outputBytes += facts.outputBytes
      if (length > ANSWER_BYTES_MAX) exchange().abort(new ResponseTooLargeError(ANSWER_BYTES_MAX))
      else assembled.add(members)
      return true
    },
    end: ({ error, cut, isCounted, generationId, outputBytesAtUsage: countedBytes, ...reported }) => {
      const { usage, cost } = reported
      const isTooLong = length > ANSWER_BYTES_MAX
      const value = assembled.whole()
      const completion = readCompletion(NOTHING, value, generationId, { ...deps.dialect, stops: deps.stops })
      if (error === null && !isTooLong && completion !== null) {
        const outputBytesAtUsage = Math.max(0, completion.outputBytes - (outputBytes - countedBytes))
        return settle.resolve({ ...completion, ...reported, outputBytesAtUsage })
      }
      const kind = error === null && !isTooLong ? 'empty' : 'broken'
      const failure = error ?? upstreamFailure(kind, { upstream: deps.name, status: 200 })
      const isBill = error === null || cut || isCounted
      settle.reject(withBill(failure, deps.name, { usage: isBill ? usage : null, cost, generationId }))
    },
  }
}
