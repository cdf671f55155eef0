import type { Clock } from '../runtime/clock.ts'
import { type BreakerLimits, CircuitBreaker } from './circuit-breaker.ts'
import { createHealthWatch, type HealthWatch, type UpstreamHealth } from './health-watch.ts'
import type { ImageUpstream } from './image-upstream.ts'
import type { SpeechUpstream } from './speech-upstream.ts'
import type { TranscriptionUpstream } from './transcription-upstream.ts'
import type { Modality, Upstream } from './upstream.ts'
import type { VideoUpstream } from './video-upstream.ts'

export interface WatchedUpstream extends Upstream {
  /** Who calls tells it how the call ended, and asks it before. */
  readonly circuits: CircuitBreaker
  /** How calls of one kind fare; `off` where the upstream has no port for it. */
  health(modality: Modality): UpstreamHealth | 'off'
}

/** Watches what becomes of the calls to an upstream, each modality by itself. */
export function watchHealth(upstream: Upstream, clock: Clock, limits: BreakerLimits): WatchedUpstream {
  const probe = (): Promise<unknown> => upstream.listModels()
  const text = createHealthWatch(clock, probe)
  const images = upstream.images === null ? null : createHealthWatch(clock, probe)
  const audio = upstream.speech === null && upstream.transcription === null ? null : createHealthWatch(clock, probe)
  const videos = upstream.videos === null ? null : createHealthWatch(clock, probe)
  const watches: Readonly<Record<Modality, HealthWatch | null>> = { text, image: images, video: videos, audio }
  return {
    ...upstream,
    circuits: new CircuitBreaker(limits, clock),
    complete: (request) => text.follow(upstream.complete(request)),
    stream: (request, sink) => text.follow(upstream.stream(request, sink)),
    listModels: () => text.follow(upstream.listModels()),
    images: watchImages(upstream.images, images),
    videos: watchVideos(upstream.videos, videos),
    speech: watchSpeech(upstream.speech, audio),
    transcription: watchTranscription(upstream.transcription, audio),
    health: (modality) => watches[modality]?.health() ?? 'off',
  }
}

function watchImages(port: ImageUpstream | null, watch: HealthWatch | null): ImageUpstream | null {
  if (port === null || watch === null) return port
  return { create: (request, onPartial) => watch.follow(port.create(request, onPartial)) }
}

function watchSpeech(port: SpeechUpstream | null, watch: HealthWatch | null): SpeechUpstream | null {
  if (port === null || watch === null) return port
  return { ...port, speak: (request) => watch.follow(port.speak(request)) }
}

function watchTranscription(
  port: TranscriptionUpstream | null,
  watch: HealthWatch | null,
): TranscriptionUpstream | null {
  if (port === null || watch === null) return port
  return { ...port, transcribe: (request, onEvent) => watch.follow(port.transcribe(request, onEvent)) }
}

function watchVideos(port: VideoUpstream | null, watch: HealthWatch | null): VideoUpstream | null {
  if (port === null || watch === null) return port
  return {
    ...port,
    submit: (submission) => watch.follow(port.submit(submission)),
    report: (jobId) => watch.follow(port.report(jobId)),
  }
}
