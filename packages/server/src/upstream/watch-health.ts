import type { Clock } from '../runtime/clock.ts'
import { type BreakerLimits, CircuitBreaker } from './circuit-breaker.ts'
import type { GuardedPort } from './guarded-port.ts'
import { createHealthWatch, type HealthWatch, type UpstreamHealth } from './health-watch.ts'
import type { EmbeddingUpstream } from './embedding-upstream.ts'
import type { ImageUpstream } from './image-upstream.ts'
import { RecentCalls } from './recent-calls.ts'
import type { SpeechUpstream } from './speech-upstream.ts'
import type { TranscriptionUpstream } from './transcription-upstream.ts'
import type { Modality, Upstream } from './upstream.ts'
import { type UpstreamFailure, upstreamFailure } from './upstream-failure.ts'
import type { VideoUpstream } from './video-upstream.ts'

export interface WatchedUpstream extends Upstream {
  /**
   * Who asks for a chat or for embeddings tells it how the call ended, and asks it before. The ports of media do so
   * themselves.
   */
  readonly circuits: CircuitBreaker
  /** How calls of one kind fare; `off` where the upstream has no port for it. */
  health(modality: Modality): UpstreamHealth | 'off'
  /** How the last calls fared, for whoever operates the gateway. */
  readonly recent: RecentCalls
}

/** Longest time that a caller is asked to wait, in seconds: clients give up on longer ones. */
const RETRY_AFTER_MAX_SECONDS = 60

interface MediaCall {
  readonly upstreamModel: string
  readonly signal: AbortSignal
}

/** Makes calls for media unless the upstream is left alone, and tells its circuits how they ended. */
interface Guard extends Required<GuardedPort> {
  run<Result>(call: MediaCall, work: () => Promise<Result>): Promise<Result>
}

function guardOf(upstream: string, circuits: CircuitBreaker, recent: RecentCalls): Guard {
  const circuitOpen = (upstreamModel: string): UpstreamFailure => {
    const seconds = Math.max(1, Math.ceil(circuits.waitMs(upstreamModel) / 1_000))
    const retryAfterSeconds = Math.min(seconds, RETRY_AFTER_MAX_SECONDS)
    return upstreamFailure('circuit_open', { upstream, retryAfterSeconds, isUnbilled: true })
  }
  return {
    run: async ({ upstreamModel, signal }, work) => {
      if (!circuits.admit(upstreamModel)) throw circuitOpen(upstreamModel)
      try {
        const result = await recent.timed(upstreamModel, work())
        circuits.note(upstreamModel, null)
        return result
      } catch (error) {
        // What we ended ourselves says nothing of the upstream.
        if (signal.aborted) circuits.release(upstreamModel)
        else circuits.note(upstreamModel, error)
        throw error
      }
    },
    refuseOpen: (upstreamModel) => {
      if (circuits.waitMs(upstreamModel) > 0) throw circuitOpen(upstreamModel)
    },
  }
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
  const guard = guardOf(upstream.name, circuits, recent)
  return {
    ...upstream,
    circuits,
    recent,
    complete: (request) => text.follow(recent.timed(request.upstreamModel, upstream.complete(request))),
    stream: (request, sink) => text.follow(recent.timed(request.upstreamModel, upstream.stream(request, sink))),
    listModels: () => text.follow(upstream.listModels()),
    embeddings: watchEmbeddings(upstream.embeddings, text, recent),
    images: watchImages(upstream.images, images, guard),
    videos: watchVideos(upstream.videos, videos, guard),
    speech: watchSpeech(upstream.speech, audio, guard),
    transcription: watchTranscription(upstream.transcription, audio, guard),
    health: (modality) => watches[modality]?.health() ?? 'off',
  }
}

/** Whoever asks for embeddings asks the circuits before, as for a chat. */
function watchEmbeddings(
  port: EmbeddingUpstream | null,
  watch: HealthWatch,
  recent: RecentCalls,
): EmbeddingUpstream | null {
  if (port === null) return null
  return { ...port, embed: (request) => watch.follow(recent.timed(request.upstreamModel, port.embed(request))) }
}

function watchImages(port: ImageUpstream | null, watch: HealthWatch | null, guard: Guard): ImageUpstream | null {
  if (port === null || watch === null) return port
  const { refuseOpen } = guard
  return {
    refuseOpen,
    create: (request, onPartial) => guard.run(request, () => watch.follow(port.create(request, onPartial))),
  }
}

function watchSpeech(port: SpeechUpstream | null, watch: HealthWatch | null, guard: Guard): SpeechUpstream | null {
  if (port === null || watch === null) return port
  const { refuseOpen } = guard
  return { ...port, refuseOpen, speak: (request) => guard.run(request, () => watch.follow(port.speak(request))) }
}

function watchTranscription(
  port: TranscriptionUpstream | null,
  watch: HealthWatch | null,
  guard: Guard,
): TranscriptionUpstream | null {
  if (port === null || watch === null) return port
  return {
    ...port,
    refuseOpen: guard.refuseOpen,
    transcribe: (request, onEvent) => guard.run(request, () => watch.follow(port.transcribe(request, onEvent))),
  }
}

function watchVideos(port: VideoUpstream | null, watch: HealthWatch | null, guard: Guard): VideoUpstream | null {
  if (port === null || watch === null) return port
  return {
    ...port,
    refuseOpen: guard.refuseOpen,
    submit: (submission) => guard.run(submission, () => watch.follow(port.submit(submission))),
    report: (jobId) => watch.follow(port.report(jobId)),
  }
}
