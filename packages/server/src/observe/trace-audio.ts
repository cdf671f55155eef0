/** Spans of the calls for sound. Names, counts and codes alone: no text that is spoken, none that was heard. */
import { codeOf } from '../errors/code-of.ts'
import type { RunningSpan } from '../tracing/tracing.ts'
import type { SpeechUpstream } from '../upstream/speech-upstream.ts'
import type { TranscriptionUpstream } from '../upstream/transcription-upstream.ts'

/** Begins the span of a call; null where it is not traced. */
export type BeginSpan = (call: {
  readonly operation: string
  readonly upstreamModel: string
  readonly stream: boolean
}) => RunningSpan | null

/** What is known of the tracing of one upstream. */
export interface AudioTracing {
  readonly begin: BeginSpan
  readonly forwardsTrace: boolean
}

/** Runs a call within its span. */
async function within<Answer extends { readonly generationId: string | null }>(
  span: RunningSpan,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    const answer = await call()
    span.tell({ 'gen_ai.response.id': answer.generationId ?? undefined })
    span.end(null)
    return answer
  } catch (error) {
    span.end(codeOf(error))
    throw error
  }
}

/** Has a span for each spoken text, until its first sound. */
export function traceSpeech(port: SpeechUpstream, { begin, forwardsTrace }: AudioTracing): SpeechUpstream {
  return {
    ...port,
    speak: (request) => {
      const span = begin({ operation: 'speech', upstreamModel: request.upstreamModel, stream: true })
      if (span === null) return port.speak(request)
      const sent = forwardsTrace ? { ...request, traceparent: span.traceparent } : request
      return within(span, () => port.speak(sent))
    },
  }
}

/** Has a span for each transcription, pieces included. */
export function traceTranscription(
  port: TranscriptionUpstream,
  { begin, forwardsTrace }: AudioTracing,
): TranscriptionUpstream {
  return {
    ...port,
    transcribe: (request, onEvent) => {
      const call = { operation: 'transcription', upstreamModel: request.upstreamModel, stream: onEvent !== null }
      const span = begin(call)
      if (span === null) return port.transcribe(request, onEvent)
      const sent = forwardsTrace ? { ...request, traceparent: span.traceparent } : request
      return within(span, () => port.transcribe(sent, onEvent))
    },
  }
}
