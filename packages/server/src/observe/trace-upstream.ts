/**
 * Spans of the calls to an upstream, by OpenTelemetry's conventions for generative AI. They hold names, counts and
 * codes, never a word of a prompt or an answer. Source: opentelemetry.io, semantic conventions, generative client AI
 * spans.
 */
import { codeOf } from '../errors/code-of.ts'
import type { RunningSpan, SpanFacts, Tracing } from '../tracing/tracing.ts'
import type {
  ChatStreamOutcome,
  ChatStreamSink,
  ReportedUsage,
  UpstreamChatRequest,
} from '../upstream/chat-upstream.ts'
import type { EmbeddingUpstream } from '../upstream/embedding-upstream.ts'
import type { ImageUpstream } from '../upstream/image-upstream.ts'
import type { WatchedUpstream } from '../upstream/watch-health.ts'
import { type AudioTracing, traceSpeech, traceTranscription } from './trace-audio.ts'

/** Whom the spans speak about. */
export interface TracedUpstream {
  /** Where the upstream is, for `server.address` and `server.port`; null where it has no address of its own. */
  readonly url: string | null
  /** Whether the upstream is told which trace the call belongs to. */
  readonly forwardsTrace: boolean
}

/** A call as far as its span tells of it. */
interface TracedCall {
  readonly operation: string
  readonly upstreamModel: string
  readonly stream: boolean
}

function requestFacts(upstream: string, target: TracedUpstream, call: TracedCall): SpanFacts {
  const url = target.url === null ? null : URL.parse(target.url)
  const defaultPort = url?.protocol === 'https:' ? 443 : 80
  return {
    'gen_ai.operation.name': call.operation,
    'gen_ai.provider.name': upstream,
    'gen_ai.request.model': call.upstreamModel,
    'gen_ai.request.stream': call.stream,
    'server.address': url?.hostname,
    'server.port': url === null ? undefined : Number(url.port) || defaultPort,
  }
}

function answerFacts(
  answer: ReportedUsage & { readonly generationId: string | null; readonly model: string | null },
  finishReasons: readonly string[],
): SpanFacts {
  const { usage } = answer
  return {
    'gen_ai.response.id': answer.generationId ?? undefined,
    'gen_ai.response.model': answer.model ?? undefined,
    'gen_ai.response.finish_reasons': finishReasons.length === 0 ? undefined : finishReasons,
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.output_tokens': usage?.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': usage?.cachedTokens,
    'gen_ai.usage.reasoning.output_tokens': usage?.reasoningTokens,
  }
}

/** @param isStopped whether we have ended the stream ourselves, which is no failure of the upstream. */
function tracedSink(span: RunningSpan, sink: ChatStreamSink, isStopped: () => boolean): ChatStreamSink {
  const startedMs = performance.now()
  const finishReasons: string[] = []
  let firstMs: number | null = null
  const end = (outcome: ChatStreamOutcome): void => {
    span.tell(answerFacts(outcome, finishReasons))
    if (firstMs !== null) span.tell({ 'gen_ai.response.time_to_first_chunk': firstMs / 1_000 })
    if (isStopped()) span.tell({ 'svc.stopped': true })
    span.end(outcome.error === null || isStopped() ? null : codeOf(outcome.error))
  }
  return {
    chunk: (members, facts) => {
      if (facts.hasContent || facts.isReasoning) firstMs ??= performance.now() - startedMs
      if (facts.finishReason !== null) finishReasons.push(facts.finishReason)
      return sink.chunk(members, facts)
    },
    end: (outcome) => {
      end(outcome)
      sink.end(outcome)
    },
  }
}

function traceImages(
  port: ImageUpstream,
  {
    upstream,
    tracing,
    target,
  }: { readonly upstream: string; readonly tracing: Tracing; readonly target: TracedUpstream },
): ImageUpstream {
  return {
    ...port,
    create: async (request, onPartial) => {
      const { upstreamModel } = request
      const call = { operation: 'generate_content', upstreamModel, stream: onPartial !== null }
      const span = tracing.call(`generate_content ${upstreamModel}`, requestFacts(upstream, target, call))
      if (span === null) return port.create(request, onPartial)
      try {
        const sent = target.forwardsTrace ? { ...request, traceparent: span.traceparent } : request
        const made = await port.create(sent, onPartial)
        span.tell({
          'gen_ai.response.id': made.generationId ?? undefined,
          'gen_ai.usage.input_tokens': made.usage?.inputTokens,
          'gen_ai.usage.output_tokens': made.usage?.outputTokens,
        })
        span.end(null)
        return made
      } catch (error) {
        span.end(codeOf(error))
        throw error
      }
    },
  }
}

function traceEmbeddings(port: EmbeddingUpstream, { begin, forwardsTrace }: AudioTracing): EmbeddingUpstream {
  return {
    ...port,
    embed: async (request) => {
      const span = begin({ operation: 'embeddings', upstreamModel: request.upstreamModel, stream: false })
      if (span === null) return port.embed(request)
      try {
        const answer = await port.embed(forwardsTrace ? { ...request, traceparent: span.traceparent } : request)
        span.tell(answerFacts(answer, []))
        span.end(null)
        return answer
      } catch (error) {
        span.end(codeOf(error))
        throw error
      }
    },
  }
}

function audioTracing(upstream: string, tracing: Tracing, target: TracedUpstream): AudioTracing {
  return {
    begin: (call) => tracing.call(`${call.operation} ${call.upstreamModel}`, requestFacts(upstream, target, call)),
    forwardsTrace: target.forwardsTrace,
  }
}

/** Has a span for each call to an upstream, below the request that it is for. */
export function traceUpstream(upstream: WatchedUpstream, tracing: Tracing, target: TracedUpstream): WatchedUpstream {
  const begin = (request: UpstreamChatRequest): RunningSpan | null =>
    tracing.call(
      `chat ${request.upstreamModel}`,
      requestFacts(upstream.name, target, { ...request, operation: 'chat' }),
    )
  const withTrace = (request: UpstreamChatRequest, span: RunningSpan): UpstreamChatRequest =>
    target.forwardsTrace ? { ...request, traceparent: span.traceparent } : request
  const audio = audioTracing(upstream.name, tracing, target)
  return {
    ...upstream,
    embeddings: upstream.embeddings === null ? null : traceEmbeddings(upstream.embeddings, audio),
    speech: upstream.speech === null ? null : traceSpeech(upstream.speech, audio),
    transcription: upstream.transcription === null ? null : traceTranscription(upstream.transcription, audio),
    images:
      upstream.images === null ? null : traceImages(upstream.images, { upstream: upstream.name, tracing, target }),
    complete: async (request) => {
      const span = begin(request)
      if (span === null) return upstream.complete(request)
      try {
        const answer = await upstream.complete(withTrace(request, span))
        span.tell(answerFacts(answer, answer.finishReasons))
        span.end(null)
        return answer
      } catch (error) {
        span.end(codeOf(error))
        throw error
      }
    },
    stream: async (request, sink) => {
      const span = begin(request)
      if (span === null) return upstream.stream(request, sink)
      try {
        let stopped = false
        const isStopped = (): boolean => stopped || request.signal.aborted
        const stream = await upstream.stream(withTrace(request, span), tracedSink(span, sink, isStopped))
        return {
          ...stream,
          stop: () => {
            stopped = true
            stream.stop()
          },
        }
      } catch (error) {
        span.end(codeOf(error))
        throw error
      }
    },
  }
}
