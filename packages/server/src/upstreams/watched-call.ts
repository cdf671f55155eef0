/** One call to an upstream, with all that watch it. */
import type { AnswerFacts, CallEnd, CallObserver, UpstreamCall, UpstreamObserver } from './call-observer.ts'
import type { ChatStream, ChatStreamSink, UpstreamChatRequest } from './chat-upstream.ts'
import type { Upstream } from './upstream.ts'

/** A request that has a signal to end it, and may carry a trace. */
export interface TracedRequest {
  readonly upstreamModel: string
  readonly signal: AbortSignal
  readonly traceparent?: string
}

/** All observers of one call as one. */
export class WatchedCall {
  /** The name of the key that makes it; null where the upstream has one alone. */
  readonly key: string | null
  readonly #observers: CallObserver[] = []
  #hasEnded = false

  constructor(observers: readonly UpstreamObserver[], call: UpstreamCall) {
    this.key = call.key ?? null
    for (const observe of observers) {
      const observer = observe(call)
      if (observer !== null) this.#observers.push(observer)
    }
  }

  /** The request as it is sent. */
  sent<Request extends TracedRequest>(request: Request): Request {
    const traced = this.#observers.find(({ traceparent }) => traceparent !== undefined)
    return traced?.traceparent === undefined ? request : { ...request, traceparent: traced.traceparent }
  }

  answered(): void {
    for (const observer of this.#observers) observer.answered?.()
  }

  firstContent(): void {
    for (const observer of this.#observers) observer.firstContent?.()
  }

  ended(end: CallEnd): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const observer of this.#observers) observer.ended?.(end)
  }
}

/** Passes on what a call answers, which is its end as well. */
export async function untilAnswer<Answer>(
  call: WatchedCall,
  work: () => Promise<Answer>,
  {
    factsOf,
    isStopped,
  }: { readonly factsOf: (answer: Answer) => AnswerFacts | null; readonly isStopped: () => boolean },
): Promise<Answer> {
  try {
    const answer = await work()
    call.answered()
    call.ended({ error: null, answer: factsOf(answer), isStopped: false })
    return answer
  } catch (error) {
    call.ended({ error, answer: null, isStopped: isStopped() })
    throw error
  }
}

/** Begins a stream of a chat, and watches it to its end. */
export async function untilStreamEnd(
  call: WatchedCall,
  { upstream, request, sink }: { upstream: Upstream; request: UpstreamChatRequest; sink: ChatStreamSink },
): Promise<ChatStream> {
  const finishReasons: string[] = []
  let hasContent = false
  let hasStopped = false
  const isStopped = (): boolean => hasStopped || request.signal.aborted
  try {
    const stream = await upstream.stream(call.sent(request), {
      chunk: (members, facts) => {
        if (!hasContent && (facts.hasContent || facts.isReasoning)) {
          hasContent = true
          call.firstContent()
        }
        if (facts.finishReason !== null) finishReasons.push(facts.finishReason)
        return sink.chunk(members, facts)
      },
      end: (outcome) => {
        call.ended({ error: outcome.error, answer: { ...outcome, finishReasons }, isStopped: isStopped() })
        sink.end(outcome)
      },
    })
    call.answered()
    const stop = (): void => {
      hasStopped = true
      stream.stop()
    }
    return { ...stream, stop }
  } catch (error) {
    call.ended({ error, answer: null, isStopped: isStopped() })
    throw error
  }
}

/** An answer that says nothing of itself, to a call that no request ends. */
export const ASKED = { factsOf: () => null, isStopped: () => false } as const
