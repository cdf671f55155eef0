import type { IncomingMessage, ServerResponse } from 'node:http'
import { SandboxError } from '../sandbox-error.ts'
import { sendJson } from '../send-reply.ts'
import { beginMedia, type MediaDeps } from './begin-media.ts'
import { parseMediaBody } from './media-body.ts'
import type { JobStatus, SandboxJob, VideoJobs } from './video-jobs.ts'
import { readVideoRequest } from './video-request.ts'

/** So often a flaky job fails to be polled before it can be. */
const FLAKY_POLLS = 3

/**
 * Answers `POST /videos`, in OpenRouter's words and OpenAI's at once: each reads its own members.
 * @throws {SandboxError} for what an upstream would refuse.
 */
export async function submitVideo(
  deps: MediaDeps,
  jobs: VideoJobs,
  { request, body }: { readonly request: IncomingMessage; readonly body: Buffer },
  response: ServerResponse,
): Promise<void> {
  const isForm = (request.headers['content-type'] ?? '').startsWith('multipart/form-data')
  const wanted = readVideoRequest(await parseMediaBody(request.headers, body), deps.options.seed)
  const task = beginMedia(deps, wanted.model, 'video', response)
  if (task === null) return
  const job = jobs.submit(wanted, task)
  sendJson(response, isForm ? 200 : 202, renderJob(job, request))
}

/**
 * Answers requests below `/videos/{id}`.
 * @throws {SandboxError} 404 for an unknown job.
 */
export function answerVideoJob(
  jobs: VideoJobs,
  request: IncomingMessage,
  { path, index }: { readonly path: string; readonly index: string | null },
  response: ServerResponse,
): void {
  const [, id = '', rest = ''] = /^\/v1\/videos\/([^/]+)(\/\w+)?$/.exec(path) ?? []
  const job = jobs.find(id)
  if (job === null) throw new SandboxError(404, 'not_found', `Job ${id.slice(0, 100)} not found`)
  const operation = `${request.method} ${rest}`
  switch (operation) {
    case 'GET ': {
      job.polls += 1
      if (job.task.script.job === 'flaky' && job.polls <= FLAKY_POLLS) {
        throw new SandboxError(503, 'provider_overloaded', 'The sandbox cannot be asked now, as asked.')
      }
      return sendJson(response, 200, renderJob(job, request))
    }
    case 'GET /content':
      return sendFile(job, index, request, response)
    case 'DELETE ':
    case 'POST /cancel':
      if (!jobs.cancel(job)) throw new SandboxError(409, 'precondition_failed', `The job is ${job.status} already.`)
      return sendJson(response, 200, renderJob(job, request))
    default:
      throw new SandboxError(404, 'not_found', 'Not Found')
  }
}

/** OpenAI's fields are beside OpenRouter's; `status` is OpenRouter's, which adapters of both know. */
function renderJob(job: SandboxJob, request: IncomingMessage): string {
  const { id, request: wanted, status, progress, createdMs, completedMs, error } = job
  const address = `http://${request.headers.host ?? '127.0.0.1'}/v1/videos/${id}`
  const isDone = status === 'completed'
  const value = {
    ...{ id, object: 'video', status, model: wanted.model, progress, polling_url: address },
    created_at: Math.floor(createdMs / 1_000),
    completed_at: completedMs === null ? null : Math.floor(completedMs / 1_000),
    seconds: String(wanted.seconds),
    size: `${wanted.width}x${wanted.height}`,
    ...(isDone ? { unsigned_urls: job.file === null ? [] : [`${address}/content?index=0`] } : {}),
    ...(error === null ? {} : { error }),
  }
  const hasUsage: readonly JobStatus[] = ['completed']
  if (!hasUsage.includes(status)) return JSON.stringify(value)
  return `${JSON.stringify(value).slice(0, -1)},"usage":{"cost":${job.cost ?? 'null'},"is_byok":false}}`
}

/** Source: RFC 9110, section 14: one range of bytes. */
function sendFile(job: SandboxJob, index: string | null, request: IncomingMessage, response: ServerResponse): void {
  const { file } = job
  if (file === null || (index ?? '0') !== '0') throw new SandboxError(404, 'not_found', 'There is no such file (yet).')
  const total = file.length
  const base = { 'content-type': 'video/mp4', 'accept-ranges': 'bytes' }
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  if (first === '' && last === '') {
    response.writeHead(200, { ...base, 'content-length': total })
    return void response.end(file)
  }
  const start = first === '' ? Math.max(0, total - Number(last)) : Number(first)
  const end = first === '' || last === '' ? total - 1 : Math.min(Number(last), total - 1)
  if (start > end) {
    response.writeHead(416, { 'content-range': `bytes */${total}`, 'content-length': 0 })
    return void response.end()
  }
  response.writeHead(206, {
    ...base,
    'content-range': `bytes ${start}-${end}/${total}`,
    'content-length': end - start + 1,
  })
  response.end(file.subarray(start, end + 1))
}
