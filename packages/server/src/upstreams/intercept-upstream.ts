/**
 * The one wrapper around the ports of an upstream. It gives each call its key; health, metrics and traces watch the
 * calls as observers, and none of them wraps a port itself.
 *
 * Source: decisions 0108 (one interceptor) and 0142 (several keys).
 */
import { InvariantError } from '../platform/errors/invariant-error.ts'
import type { UpstreamOperation } from '../telemetry/metrics/upstream-operations.ts'
import type { AnswerFacts, CallEnd, CallObserver, UpstreamCall, UpstreamObserver } from './call-observer.ts'
import type { CallSlots } from './call-slots.ts'
import { closeAll } from './close-all.ts'
import type { ChatStream, ChatStreamSink, UpstreamChatRequest } from './chat-upstream.ts'
import { jobAtKey, jobOfKey } from './key-of-job.ts'
import { isAboutKey, type KeyRing } from './key-ring.ts'
import type { Upstream } from './upstream.ts'

/** An upstream as it is opened: once for each of our keys. */
export interface KeyedUpstream {
  readonly opened: readonly [Upstream, ...Upstream[]]
  /** Chooses among them; null where there is one. */
  readonly ring: KeyRing | null
  /** Gives calls that are work their turn; absent or null where all are made at once. */
  readonly slots?: CallSlots | null
}

/** A request that has a signal to end it, and may carry a trace. */
interface TracedRequest {
  readonly upstreamModel: string
  readonly signal: AbortSignal
  readonly traceparent?: string
}

/** All observers of one call as one. */
class WatchedCall {
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

/** How one call is made. */
interface Made<Answer> {
  /** Makes it with the upstream as it was opened for the chosen key. */
  readonly make: (upstream: Upstream, call: WatchedCall) => Promise<Answer>
  /** Ends its request: then no other key is tried, and no turn is waited for. Null for a call that is no work. */
  readonly signal: AbortSignal | null
}

/** Makes calls with the key that is best for each. */
class KeyedCalls {
  readonly #upstream: KeyedUpstream
  readonly #observers: readonly UpstreamObserver[]

  constructor(upstream: KeyedUpstream, observers: readonly UpstreamObserver[]) {
    this.#upstream = upstream
    this.#observers = observers
  }

  /** Makes a call, and again with another key where one is refused and nothing was begun. */
  async make<Answer>(call: UpstreamCall, { make, signal }: Made<Answer>): Promise<Answer> {
    const { ring } = this.#upstream
    if (ring === null) return this.#makeInTurn(0, call, { make, signal })
    const tried = new Set<number>()
    for (;;) {
      const key = ring.next(tried)
      try {
        return await this.#makeInTurn(key, call, { make, signal })
      } catch (error) {
        tried.add(key)
        const isRefused = isAboutKey(error) && error.isRepeatable
        if (!isRefused || signal?.aborted === true || !ring.hasSpare(tried)) throw error
      }
    }
  }

  /** Makes a call with one key once it has its turn, which ends with the call: that of a stream with the stream. */
  #makeInTurn<Answer>(key: number, call: UpstreamCall, { make, signal }: Made<Answer>): Promise<Answer> {
    const { slots } = this.#upstream
    if (slots == null || signal === null) return this.makeWith(key, call, make)
    return slots.take(signal).then((ended) => this.makeWith(key, call, make, [() => ({ ended })]))
  }

  /** Makes a call with one key and no other. @param more observers of this call alone. */
  makeWith<Answer>(
    key: number,
    call: UpstreamCall,
    make: Made<Answer>['make'],
    more: readonly UpstreamObserver[] = [],
  ): Promise<Answer> {
    const { opened, ring } = this.#upstream
    const upstream = opened[key] ?? opened[0]
    if (ring === null) return make(upstream, new WatchedCall([...this.#observers, ...more], call))
    const observers = [...this.#observers, ...more, () => ring.observe(key)]
    return make(upstream, new WatchedCall(observers, { ...call, key: ring.nameOf(key) }))
  }

  /** Makes a call about a video with the key that has submitted it. */
  ofJob<Answer>(
    operation: UpstreamOperation,
    jobId: string,
    make: (videos: NonNullable<Upstream['videos']>, job: string) => Promise<Answer>,
  ): Promise<Answer> {
    const { ring } = this.#upstream
    const { job, key } = jobAtKey(jobId)
    const call = { operation, job, isStream: false }
    const index = key === null ? null : (ring?.find(key) ?? null)
    return this.makeWith(index ?? 0, call, (upstream, watched) =>
      untilAnswer(watched, () => make(portOf(upstream.videos), job), ASKED),
    )
  }

  /** Submits a video. The id of its job says with which key, where there are several. */
  submitVideo(submission: Parameters<NonNullable<Upstream['videos']>['submit']>[0]) {
    const { ring } = this.#upstream
    const call = { operation: 'video_submit', model: submission.upstreamModel, isStream: false } as const
    return this.make(call, {
      make: async (upstream, watched) => {
        const submitted = await untilAnswer(watched, () => portOf(upstream.videos).submit(submission), ASKED)
        return ring === null || watched.key === null
          ? submitted
          : { ...submitted, jobId: jobOfKey(submitted.jobId, watched.key) }
      },
      signal: submission.signal,
    })
  }

  /** Asks the key that has made a generation; where that is not remembered, each until one knows it. */
  async findCost(generationId: string): ReturnType<Upstream['findCost']> {
    const { opened, ring } = this.#upstream
    // A video is looked up by its job.
    const { job, key: ofJob } = jobAtKey(generationId)
    const ask = (key: number) =>
      this.makeWith(key, { operation: 'find_cost', isStream: false }, (upstream, call) =>
        untilAnswer(call, () => upstream.findCost(job), ASKED),
      )
    const maker = ring === null ? 0 : ofJob === null ? ring.makerOf(job) : ring.find(ofJob)
    if (maker !== null) return ask(maker)
    let failure: Error | null = null
    for (const key of opened.keys()) {
      try {
        const cost = await ask(key)
        if (cost !== null) return cost
      } catch (error) {
        failure = error instanceof Error ? error : new Error('a cost cannot be looked up', { cause: error })
      }
    }
    if (failure !== null) throw failure
    return null
  }
}

/** Every opening of an upstream has the same ports. */
function portOf<Port>(port: Port | null): Port {
  if (port === null) throw new InvariantError('An upstream lacks a port with one of its keys')
  return port
}

/** An answer that says nothing of itself, to a call that no request ends. */
const ASKED = { factsOf: () => null, isStopped: () => false } as const

/**
 * Puts the choice of a key and the observers between an upstream and its callers. They change nothing but the trace
 * that is forwarded. Prompts are counted, and lists completed, without observers.
 */
export function interceptUpstream(keyed: KeyedUpstream, observers: readonly UpstreamObserver[]): Upstream {
  const [upstream] = keyed.opened
  const { embeddings, images, moderation, rerank, speech, transcription, videos, countPrompt } = upstream
  const calls = new KeyedCalls(keyed, observers)
  const present = (): Upstream => keyed.opened[keyed.ring?.next(new Set()) ?? 0] ?? upstream
  const send = <Request extends TracedRequest, Answer extends AnswerFacts>(
    { operation, isStream }: Pick<UpstreamCall, 'operation' | 'isStream'>,
    request: Request,
    work: (upstream: Upstream, sent: Request) => Promise<Answer>,
  ): Promise<Answer> => {
    const { signal } = request
    return calls.make(
      { operation, model: request.upstreamModel, isStream },
      {
        make: (opened, call) =>
          untilAnswer(call, () => work(opened, call.sent(request)), {
            factsOf: (answer) => answer,
            isStopped: () => signal.aborted,
          }),
        signal,
      },
    )
  }
  return {
    ...upstream,
    complete: (request) =>
      send({ operation: 'complete', isStream: request.stream }, request, (to, sent) => to.complete(sent)),
    stream: (request, sink) =>
      calls.make(
        { operation: 'stream', model: request.upstreamModel, isStream: request.stream },
        {
          make: (opened, call) => untilStreamEnd(call, { upstream: opened, request, sink }),
          signal: request.signal,
        },
      ),
    countPrompt: countPrompt && ((request) => portOf(present().countPrompt)(request)),
    findCost: (generationId) => calls.findCost(generationId),
    listModels: () =>
      calls.make(
        { operation: 'list_models', isStream: false },
        { make: (opened, call) => untilAnswer(call, () => opened.listModels(), ASKED), signal: null },
      ),
    completeList: (list) => present().completeList(list),
    embeddings: embeddings && {
      ...embeddings,
      embed: (request) =>
        send({ operation: 'embed', isStream: false }, request, (to, sent) => portOf(to.embeddings).embed(sent)),
    },
    rerank: rerank && {
      ...rerank,
      rank: (request) =>
        send({ operation: 'rerank', isStream: false }, request, (to, sent) => portOf(to.rerank).rank(sent)),
    },
    moderation: moderation && {
      ...moderation,
      moderate: (request) =>
        send({ operation: 'moderate', isStream: false }, request, (to, sent) => portOf(to.moderation).moderate(sent)),
    },
    images: images && {
      ...images,
      create: (request, onPartial) =>
        send({ operation: 'create_images', isStream: onPartial !== null }, request, (to, sent) =>
          portOf(to.images).create(sent, onPartial),
        ),
    },
    speech: speech && {
      ...speech,
      speak: (request) =>
        send({ operation: 'speak', isStream: true }, request, (to, sent) => portOf(to.speech).speak(sent)),
    },
    transcription: transcription && {
      ...transcription,
      transcribe: (request, onEvent) =>
        send({ operation: 'transcribe', isStream: onEvent !== null }, request, (to, sent) =>
          portOf(to.transcription).transcribe(sent, onEvent),
        ),
    },
    videos: videos && {
      ...videos,
      submit: (submission) => calls.submitVideo(submission),
      report: (job) => calls.ofJob('video_report', job, (port, id) => port.report(id)),
      cancel: (job) => calls.ofJob('video_cancel', job, (port, id) => port.cancel(id)),
      open: (job, output) => calls.ofJob('video_open', job, (port, id) => port.open(id, output)),
    },
    close: () => closeAll(keyed.opened),
  }
}
