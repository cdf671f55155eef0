import type { Clock } from '../runtime/clock.ts'
import { type BreakerLimits, CircuitBreaker } from './circuit-breaker.ts'
import { createHealthWatch, type HealthWatch, type UpstreamHealth } from './health-watch.ts'
import type { EmbeddingUpstream } from './embedding-upstream.ts'
import type { ImageUpstream } from './image-upstream.ts'
import { RecentCalls } from './recent-calls.ts'
import type { SpeechUpstream } from './speech-upstream.ts'
import type { TranscriptionUpstream } from './transcription-upstream.ts'
import type { Modality, Upstream } from './upstream.ts'
import type { VideoUpstream } from './video-upstream.ts'

export interface WatchedUpstream extends Upstream {
  /** Whoever makes a call asks it before, and tells it how the call ended: the attempts of a request do. */
  readonly circuits: CircuitBreaker
  /** How calls of one kind fare; `off` where the upstream has no port for it. */
  health(modality: Modality): UpstreamHealth | 'off'
  /** How the last calls fared, for whoever operates the gateway. */
  readonly recent: RecentCalls
}

/** Watches what becomes of the calls to an upstream, each modality by itself. */
export function watchHealth(upstream: Upstream, clock: Clock, limits: BreakerLimits): WatchedUpstream {
  const probe = (): Promise<unknown> => upstream.listModels()
  const text = createHealthWatch(clock, probe)
  const images = upstream.images === null ? null : createHealthWatch(clock, probe)
  const audio = upstream.speech === null && upstream.transcription === null ? null : createHealthWatch(clock, probe)
  const videos = upstream.videos === null ? null : createHealthWatch(clock, probe)
  const watches: Readonly<Record<Modality, HealthWatch | null>> = { text, image: images, video: videos, audio }
  const recent = new RecentCalls(clock)
  const circuits = new CircuitBreaker(limits, clock, (model, error) => recent.ended(model, error))
  return {
    ...upstream,
    circuits,
    recent,
    complete: (request) => text.follow(recent.timed(request.upstreamModel, upstream.complete(request))),
    stream: (request, sink) => text.follow(recent.timed(request.upstreamModel, upstream.stream(request, sink))),
    listModels: () => text.follow(upstream.listModels()),
    embeddings: watchEmbeddings(upstream.embeddings, text, recent),
    images: watchImages(upstream.images, images, recent),
    videos: watchVideos(upstream.videos, videos, recent),
    speech: watchSpeech(upstream.speech, audio, recent),
    transcription: watchTranscription(upstream.transcription, audio, recent),
    health: (modality) => watches[modality]?.health() ?? 'off',
  }
}

function watchEmbeddings(
  port: EmbeddingUpstream | null,
  watch: HealthWatch,
  recent: RecentCalls,
): EmbeddingUpstream | null {
  if (port === null) return null
  return { ...port, embed: (request) => watch.follow(recent.timed(request.upstreamModel, port.embed(request))) }
}

function watchImages(port: ImageUpstream | null, watch: HealthWatch | null, recent: RecentCalls): ImageUpstream | null {
  if (port === null || watch === null) return port
  return {
    ...port,
    create: (request, onPartial) => watch.follow(recent.timed(request.upstreamModel, port.create(request, onPartial))),
  }
}

function watchSpeech(
  port: SpeechUpstream | null,
  watch: HealthWatch | null,
  recent: RecentCalls,
): SpeechUpstream | null {
  if (port === null || watch === null) return port
  return { ...port, speak: (request) => watch.follow(recent.timed(request.upstreamModel, port.speak(request))) }
}

function watchTranscription(
  port: TranscriptionUpstream | null,
  watch: HealthWatch | null,
  recent: RecentCalls,
): TranscriptionUpstream | null {
  if (port === null || watch === null) return port
  return {
    ...port,
    transcribe: (request, onEvent) =>
      watch.follow(recent.timed(request.upstreamModel, port.transcribe(request, onEvent))),
  }
}

function watchVideos(port: VideoUpstream | null, watch: HealthWatch | null, recent: RecentCalls): VideoUpstream | null {
  if (port === null || watch === null) return port
  return {
    ...port,
    submit: (submission) => watch.follow(recent.timed(submission.upstreamModel, port.submit(submission))),
    report: (jobId) => watch.follow(port.report(jobId)),
  }
}
