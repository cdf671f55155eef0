/** Counts the calls for sound. */
import type { UpstreamMetrics } from '../metrics/upstream-metrics.ts'
import type { SpeechUpstream } from '../upstream/speech-upstream.ts'
import type { TranscriptionUpstream } from '../upstream/transcription-upstream.ts'
import { measured } from './measured-call.ts'

/** Counts a spoken text until its first sound. */
export function measureSpeech(port: SpeechUpstream, metrics: UpstreamMetrics): SpeechUpstream {
  return {
    ...port,
    speak: (request) =>
      measured(
        metrics,
        'speak',
        () => port.speak(request),
        () => request.signal.aborted,
      ),
  }
}

/** Counts a transcription until its end, pieces included. */
export function measureTranscription(port: TranscriptionUpstream, metrics: UpstreamMetrics): TranscriptionUpstream {
  return {
    ...port,
    transcribe: (request, onEvent) =>
      measured(
        metrics,
        'transcribe',
        () => port.transcribe(request, onEvent),
        () => request.signal.aborted,
      ),
  }
}
