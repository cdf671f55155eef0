import type { IncomingMessage, ServerResponse } from 'node:http'
import { sendJson } from '../send-reply.ts'
import { answerImages } from './answer-images.ts'
import { answerSpeech } from './answer-speech.ts'
import { answerTranscription } from './answer-transcription.ts'
import { answerVideoJob, submitVideo } from './answer-videos.ts'
import type { MediaDeps } from './begin-media.ts'
import type { MediaType } from './media-faults.ts'
import { renderMediaList } from './media-lists.ts'
import type { VideoJobs } from './video-jobs.ts'

/** A request that has passed the key. */
export interface MediaExchange {
  readonly request: IncomingMessage
  /** Null for methods without one. */
  readonly body: Buffer | null
  readonly url: URL
  readonly response: ServerResponse
}

/**
 * Answers everything about media.
 * @returns false for addresses that are about something else.
 * @throws {SandboxError} for what an upstream would refuse.
 */
export async function answerMedia(deps: MediaDeps, jobs: VideoJobs, exchange: MediaExchange): Promise<boolean> {
  const { request, body, url, response } = exchange
  const path = url.pathname
  if (body !== null) return answerPost(deps, jobs, { request, body, path, response })
  const listed = request.method === 'GET' ? listedType(url) : null
  if (listed !== null) {
    const isMade = deps.abilities.has(listed)
    sendJson(response, 200, renderMediaList(isMade ? deps.models.all() : [], listed))
    return true
  }
  if (!path.startsWith('/v1/videos/')) return false
  answerVideoJob(jobs, request, { path, index: url.searchParams.get('index') }, response)
  return true
}

/** Which list is asked for. */
function listedType({ pathname, searchParams }: URL): MediaType | null {
  if (pathname === '/v1/images/models') return 'image'
  if (pathname === '/v1/videos/models') return 'video'
  const wanted = pathname === '/v1/models' ? searchParams.get('output_modalities') : null
  return wanted === 'speech' || wanted === 'transcription' ? wanted : null
}

interface MediaPost {
  readonly request: IncomingMessage
  readonly body: Buffer
  readonly path: string
  readonly response: ServerResponse
}

async function answerPost(
  deps: MediaDeps,
  jobs: VideoJobs,
  { request, body, path, response }: MediaPost,
): Promise<boolean> {
  const sent = { headers: request.headers, body }
  switch (path) {
    case '/v1/images':
      await answerImages(deps, sent, 'openrouter', response)
      return true
    case '/v1/images/generations':
      await answerImages(deps, sent, 'generations', response)
      return true
    case '/v1/images/edits':
      await answerImages(deps, sent, 'edits', response)
      return true
    case '/v1/videos':
      await submitVideo(deps, jobs, { request, body }, response)
      return true
    case '/v1/audio/speech':
      await answerSpeech(deps, sent, response)
      return true
    case '/v1/audio/transcriptions':
      await answerTranscription(deps, sent, 'transcribe', response)
      return true
    case '/v1/audio/translations':
      await answerTranscription(deps, sent, 'translate', response)
      return true
    default:
      if (!path.startsWith('/v1/videos/')) return false
      answerVideoJob(jobs, request, { path, index: null }, response)
      return true
  }
}
