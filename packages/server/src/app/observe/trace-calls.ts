/**
 * Spans of the calls to an upstream, by OpenTelemetry's conventions for generative AI. They hold names, counts and
 * codes, never a word of a prompt or an answer. Source: opentelemetry.io, semantic conventions, generative client AI
 * spans.
 */
import { codeOf } from '../../platform/errors/code-of.ts'
import { upstreamOperations } from '../../telemetry/metrics/upstream-operations.ts'
import type { SpanFacts, Tracing } from '../../telemetry/tracing/tracing.ts'
import type { AnswerFacts, UpstreamObserver } from '../../upstreams/call-observer.ts'

/** Whom the spans speak about. */
export interface TracedUpstream {
  readonly name: string
  /** Where the upstream is, for `server.address` and `server.port`; null where it has no address of its own. */
  readonly url: string | null
  /** Whether the upstream learns which trace the call belongs to. */
  readonly forwardsTrace: boolean
}

function addressFacts(address: string | null): SpanFacts {
  const url = address === null ? null : URL.parse(address)
  const defaultPort = url?.protocol === 'https:' ? 443 : 80
  return { 'server.address': url?.hostname, 'server.port': url === null ? undefined : Number(url.port) || defaultPort }
}

function usageFacts(usage: AnswerFacts['usage']): SpanFacts {
  if (usage === null || usage === undefined) return {}
  if ('inputTokens' in usage) {
    return { 'gen_ai.usage.input_tokens': usage.inputTokens, 'gen_ai.usage.output_tokens': usage.outputTokens }
  }
  return {
    'gen_ai.usage.input_tokens': usage.promptTokens,
    'gen_ai.usage.output_tokens': usage.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
  }
}

function answerFacts({ generationId, model, usage, finishReasons = [] }: AnswerFacts): SpanFacts {
  return {
    'gen_ai.response.id': generationId ?? undefined,
    'gen_ai.response.model': model ?? undefined,
    'gen_ai.response.finish_reasons': finishReasons.length === 0 ? undefined : finishReasons,
    ...usageFacts(usage),
  }
}

/** Has a span for each call that makes something, below the request that it is for. */
export function traceCalls(tracing: Tracing, { name, url, forwardsTrace }: TracedUpstream): UpstreamObserver {
  const address = addressFacts(url)
  return ({ operation, model, isStream }) => {
    const { span: kind } = upstreamOperations[operation]
    if (kind === null || model === undefined) return null
    const span = tracing.call(`${kind} ${model}`, {
      'gen_ai.operation.name': kind,
      'gen_ai.provider.name': name,
      'gen_ai.request.model': model,
      'gen_ai.request.stream': isStream,
      ...address,
    })
    if (span === null) return null
    const startedMs = performance.now()
    return {
      traceparent: forwardsTrace ? span.traceparent : undefined,
      firstContent: () => span.tell({ 'gen_ai.response.time_to_first_chunk': (performance.now() - startedMs) / 1_000 }),
      ended: ({ error, answer, isStopped }) => {
        if (answer !== null) span.tell({ ...answerFacts(answer), 'svc.stopped': isStopped || undefined })
        // A stream that we stopped has not failed; a call that never answered has, whichever side gave it up.
        const hasFailed = error !== null && !(isStopped && answer !== null)
        span.end(hasFailed ? codeOf(error) : null)
      },
    }
  }
}
