/**
 * The one wrapper around the ports of an upstream. It gives each call its key; health, metrics and traces watch the
 * calls as observers, and none of them wraps a port itself.
 *
 * Source: decisions 0108 (one interceptor) and 0142 (several keys).
 */
import type { AnswerFacts, UpstreamCall, UpstreamObserver } from './call-observer.ts'
import { closeAll } from './close-all.ts'
import { KeyedCalls, type KeyedUpstream, portOf } from './keyed-calls.ts'
import type { Upstream } from './upstream.ts'
import { ASKED, type TracedRequest, untilAnswer, untilStreamEnd } from './watched-call.ts'

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
