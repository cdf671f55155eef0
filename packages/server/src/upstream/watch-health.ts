import type { SystemClock } from '../runtime/clock.ts'
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

/** Makes what becomes of a call for a model known. */
type Note = <Result>(watch: HealthWatch, model: string, work: Promise<Result>) => Promise<Result>

/** Watches what becomes of the calls to an upstream, by modality; what a script plays is remembered and not counted. */
export function watchHealth(upstream: Upstream, clock: SystemClock, limits: BreakerLimits): WatchedUpstream {
  const probe = (): Promise<unknown> => upstream.listModels()
  const text = createHealthWatch(clock, probe)
  const images = upstream.images === null ? null : createHealthWatch(clock, probe)
  const audio = upstream.speech === null && upstream.transcription === null ? null : createHealthWatch(clock, probe)
  const videos = upstream.videos === null ? null : createHealthWatch(clock, probe)
  const watches: Readonly<Record<Modality, HealthWatch | null>> = { text, image: images, video: videos, audio }
  const recent = new RecentCalls(clock)
  const isScripted = limits.isScripted ?? (() => false)
  const note: Note = (watch, model, work) => {
    const timed = recent.timed(model, work)
    return isScripted(model) ? timed : watch.follow(timed)
  }
  const circuits = new CircuitBreaker(limits, clock, (model, error) => recent.ended(model, error))
  return {
    ...upstream,
    circuits,
    recent,
    complete: (request) => note(text, request.upstreamModel, upstream.complete(request)),
    stream: (request, sink) => note(text, request.upstreamModel, upstream.stream(request, sink)),
    listModels: () => text.follow(upstream.listModels()),
    embeddings: watchEmbeddings(upstream.embeddings, text, note),
    images: watchImages(upstream.images, images, note),
    videos: watchVideos(upstream.videos, videos, { note, isScripted }),
    speech: watchSpeech(upstream.speech, audio, note),
    transcription: watchTranscription(upstream.transcription, audio, note),
    health: (modality) => watches[modality]?.health() ?? 'off',
  }
}

function watchEmbeddings(port: EmbeddingUpstream | null, watch: HealthWatch, note: Note): EmbeddingUpstream | null {
  if (port === null) return null
  return { ...port, embed: (request) => note(watch, request.upstreamModel, port.embed(request)) }
}

function watchImages(port: ImageUpstream | null, watch: HealthWatch | null, note: Note): ImageUpstream | null {
  if (port === null || watch === null) return port
  return {
    ...port,
    create: (request, onPartial) => note(watch, request.upstreamModel, port.create(request, onPartial)),
  }
}

function watchSpeech(port: SpeechUpstream | null, watch: HealthWatch | null, note: Note): SpeechUpstream | null {
  if (port === null || watch === null) return port
  return { ...port, speak: (request) => note(watch, request.upstreamModel, port.speak(request)) }
}

function watchTranscription(
  port: TranscriptionUpstream | null,
  watch: HealthWatch | null,
  note: Note,
): TranscriptionUpstream | null {
  if (port === null || watch === null) return port
  return {
    ...port,
    transcribe: (request, onEvent) => note(watch, request.upstreamModel, port.transcribe(request, onEvent)),
  }
}

function watchVideos(
  port: VideoUpstream | null,
  watch: HealthWatch | null,
  { note, isScripted }: { readonly note: Note; readonly isScripted: (name: string) => boolean },
): VideoUpstream | null {
  if (port === null || watch === null) return port
  return {
    ...port,
    submit: (submission) => note(watch, submission.upstreamModel, port.submit(submission)),
    report: (jobId) => (isScripted(jobId) ? port.report(jobId) : watch.follow(port.report(jobId))),
  }
}
