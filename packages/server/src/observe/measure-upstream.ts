import type { UpstreamMetrics } from '../metrics/upstream-metrics.ts'
import type { ChatStreamSink, UpstreamChatRequest } from '../upstream/chat-upstream.ts'
import type { EmbeddingUpstream } from '../upstream/embedding-upstream.ts'
import type { VideoUpstream } from '../upstream/video-upstream.ts'
import type { ImageUpstream } from '../upstream/image-upstream.ts'
import type { WatchedUpstream } from '../upstream/watch-health.ts'
import { measureSpeech, measureTranscription } from './measure-audio.ts'
import { failureKind, measured } from './measured-call.ts'

/** Counts a stream until its end. One that we stop, or whose request we end, has not failed. */
async function measureStream(
  upstream: WatchedUpstream,
  metrics: UpstreamMetrics,
  request: UpstreamChatRequest,
  sink: ChatStreamSink,
) {
  const call = metrics.begin('stream')
  let stopped = false
  const end = (error: unknown): void => {
    if (stopped || request.signal.aborted) call.end('stopped', null)
    else if (error === null) call.end('ok', null)
    else call.end('failed', failureKind(error))
  }
  try {
    const stream = await upstream.stream(request, {
      chunk: (members, facts) => sink.chunk(members, facts),
      end: (outcome) => {
        end(outcome.error)
        sink.end(outcome)
      },
    })
    return {
      ...stream,
      stop: () => {
        stopped = true
        stream.stop()
      },
    }
  } catch (error) {
    end(error)
    throw error
  }
}

function measureEmbeddings(port: EmbeddingUpstream, metrics: UpstreamMetrics): EmbeddingUpstream {
  return {
    ...port,
    embed: (request) =>
      measured(
        metrics,
        'embed',
        () => port.embed(request),
        () => request.signal.aborted,
      ),
  }
}

function measureImages(port: ImageUpstream, metrics: UpstreamMetrics): ImageUpstream {
  return {
    ...port,
    create: (request, onPartial) =>
      measured(
        metrics,
        'create_images',
        () => port.create(request, onPartial),
        () => request.signal.aborted,
      ),
  }
}

/** Counts the calls about videos. A download counts as its opening: how long it takes is up to its reader. */
function measureVideos(videos: VideoUpstream, metrics: UpstreamMetrics): VideoUpstream {
  const never = (): boolean => false
  return {
    ...videos,
    submit: (submission) => measured(metrics, 'video_submit', () => videos.submit(submission), never),
    report: (jobId) => measured(metrics, 'video_report', () => videos.report(jobId), never),
    cancel: (jobId) => measured(metrics, 'video_cancel', () => videos.cancel(jobId), never),
    open: (jobId, output) => measured(metrics, 'video_open', () => videos.open(jobId, output), never),
  }
}

/** Counts the calls to an upstream. */
export function measureUpstream(upstream: WatchedUpstream, metrics: UpstreamMetrics): WatchedUpstream {
  const never = (): boolean => false
  return {
    ...upstream,
    complete: (request) =>
      measured(
        metrics,
        'complete',
        () => upstream.complete(request),
        () => request.signal.aborted,
      ),
    stream: (request, sink) => measureStream(upstream, metrics, request, sink),
    embeddings: upstream.embeddings === null ? null : measureEmbeddings(upstream.embeddings, metrics),
    speech: upstream.speech === null ? null : measureSpeech(upstream.speech, metrics),
    transcription: upstream.transcription === null ? null : measureTranscription(upstream.transcription, metrics),
    images: upstream.images === null ? null : measureImages(upstream.images, metrics),
    findCost: (generationId) => measured(metrics, 'find_cost', () => upstream.findCost(generationId), never),
    listModels: () => measured(metrics, 'list_models', () => upstream.listModels(), never),
    videos: upstream.videos === null ? null : measureVideos(upstream.videos, metrics),
  }
}
