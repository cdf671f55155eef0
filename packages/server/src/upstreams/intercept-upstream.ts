/**
 * The one wrapper around the ports of an upstream. Health, metrics and traces watch the calls as observers, and none of
 * them wraps a port itself.
 */
import type { UpstreamOperation } from '../telemetry/metrics/upstream-operations.ts'
import type { ChatUsage } from '../pricing/price.ts'
import type { ChatStream, ChatStreamSink, UpstreamChatRequest } from './chat-upstream.ts'
import type { ImageUsage } from './image-upstream.ts'
import type { Upstream } from './upstream.ts'

/** A call as an observer sees it before it is made. */
export interface UpstreamCall {
  readonly operation: UpstreamOperation
  /** The upstream's id of the model; absent where the call is for none. */
  readonly model?: string
  /** The upstream's id of a video's job; absent where the call is for none. */
  readonly job?: string
  /** Whether the answer is asked for in pieces. */
  readonly isStream: boolean
}

/** What an answer reports about itself. */
export interface AnswerFacts {
  readonly generationId?: string | null
  readonly model?: string | null
  readonly usage?: ChatUsage | ImageUsage | null
  readonly finishReasons?: readonly string[]
}

export interface CallEnd {
  /** Null for an answer, and for a stream that ended cleanly. */
  readonly error: unknown
  /** Null where no answer came, and for an operation whose answer says nothing of itself. */
  readonly answer: AnswerFacts | null
  /** Whether we ended the call ourselves, by `stop` or by the signal of its request. */
  readonly isStopped: boolean
}

/** Watches one call. */
export interface CallObserver {
  /** W3C `traceparent` for the upstream; absent tells it nothing. */
  readonly traceparent?: string | undefined
  /** The answer is there, or its stream has begun. */
  answered?(): void
  /** The stream of a chat has brought its first text, reasoning, tool call, audio or image. */
  firstContent?(): void
  /** The call is over, a stream at its end. Called exactly once. */
  ended?(end: CallEnd): void
}

/** Is asked before each call, in the flow of the request that makes it. Null: this call is not watched. */
export type UpstreamObserver = (call: UpstreamCall) => CallObserver | null

/** A request that has a signal to end it, and may carry a trace. */
interface TracedRequest {
  readonly upstreamModel: string
  readonly signal: AbortSignal
  readonly traceparent?: string
}

/** All observers of one call as one. */
class WatchedCall {
  readonly #observers: CallObserver[] = []
  #hasEnded = false

  constructor(observers: readonly UpstreamObserver[], call: UpstreamCall) {
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
async function untilAnswer<Answer>(
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
async function untilStreamEnd(
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

/**
 * Puts the observers between an upstream and its callers. They change nothing but the trace that is forwarded.
 * Prompts are counted, and lists completed, without them.
 */
export function interceptUpstream(upstream: Upstream, observers: readonly UpstreamObserver[]): Upstream {
  const { embeddings, images, moderation, rerank, speech, transcription, videos } = upstream
  const ask = <Answer>(call: Omit<UpstreamCall, 'isStream'>, work: () => Promise<Answer>): Promise<Answer> =>
    untilAnswer(new WatchedCall(observers, { ...call, isStream: false }), work, {
      factsOf: () => null,
      isStopped: () => false,
    })
  const send = <Request extends TracedRequest, Answer extends AnswerFacts>(
    { operation, isStream }: Pick<UpstreamCall, 'operation' | 'isStream'>,
    request: Request,
    work: (sent: Request) => Promise<Answer>,
  ): Promise<Answer> => {
    const call = new WatchedCall(observers, { operation, model: request.upstreamModel, isStream })
    return untilAnswer(call, () => work(call.sent(request)), {
      factsOf: (answer) => answer,
      isStopped: () => request.signal.aborted,
    })
  }
  return {
    ...upstream,
    complete: (request) =>
      send({ operation: 'complete', isStream: request.stream }, request, (sent) => upstream.complete(sent)),
    stream: (request, sink) => {
      const { upstreamModel: model, stream: isStream } = request
      const call = new WatchedCall(observers, { operation: 'stream', model, isStream })
      return untilStreamEnd(call, { upstream, request, sink })
    },
    findCost: (generationId) => ask({ operation: 'find_cost' }, () => upstream.findCost(generationId)),
    listModels: () => ask({ operation: 'list_models' }, () => upstream.listModels()),
    embeddings: embeddings && {
      ...embeddings,
      embed: (request) => send({ operation: 'embed', isStream: false }, request, (sent) => embeddings.embed(sent)),
    },
    rerank: rerank && {
      ...rerank,
      rank: (request) => send({ operation: 'rerank', isStream: false }, request, (sent) => rerank.rank(sent)),
    },
    moderation: moderation && {
      ...moderation,
      moderate: (request) =>
        send({ operation: 'moderate', isStream: false }, request, (sent) => moderation.moderate(sent)),
    },
    images: images && {
      ...images,
      create: (request, onPartial) =>
        send({ operation: 'create_images', isStream: onPartial !== null }, request, (sent) =>
          images.create(sent, onPartial),
        ),
    },
    speech: speech && {
      ...speech,
      speak: (request) => send({ operation: 'speak', isStream: true }, request, (sent) => speech.speak(sent)),
    },
    transcription: transcription && {
      ...transcription,
      transcribe: (request, onEvent) =>
        send({ operation: 'transcribe', isStream: onEvent !== null }, request, (sent) =>
          transcription.transcribe(sent, onEvent),
        ),
    },
    videos: videos && {
      ...videos,
      submit: (submission) =>
        ask({ operation: 'video_submit', model: submission.upstreamModel }, () => videos.submit(submission)),
      report: (job) => ask({ operation: 'video_report', job }, () => videos.report(job)),
      cancel: (job) => ask({ operation: 'video_cancel', job }, () => videos.cancel(job)),
      open: (job, output) => ask({ operation: 'video_open', job }, () => videos.open(job, output)),
    },
  }
}
