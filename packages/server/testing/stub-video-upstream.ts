/** The stub as an upstream that makes videos when a test says so. */
import type { ServerResponse } from 'node:http'
import { play } from './scripted-answer.ts'
import { startStubUpstream, type StubCall, type StubHandler } from './stub-upstream.ts'

/** One job as this upstream has it. Change it at any time. */
export interface StubVideoJob {
  readonly id: string
  /** What was submitted: parsed JSON, or the text of a form. */
  readonly request: Readonly<Record<string, unknown>> | string
  status: string
  progress: number | null
  /** JSON text of the reported cost, so that every digit is sent; null reports none. */
  cost: string | null
  /** Null leaves the list out. */
  urls: readonly string[] | null
  error: unknown
  /** How often it was polled. */
  polls: number
}

export interface StubVideoUpstream {
  /** Base address, ending in `/v1`. */
  readonly url: string
  /** In the order of their submission. */
  readonly jobs: StubVideoJob[]
  /** Jobs that were given up, and what was answered. */
  readonly cancels: string[]
  /** Range headers of the downloads so far; null for none. */
  readonly downloads: (string | null)[]
  /** Bytes of every file. */
  fileBytes: number
  /** Whether it obeys `Range`, whether it sends lengths, and which type it sends for a file. */
  file: { ranges: boolean; lengths: boolean; contentType: string; isGone: boolean }
  /** Whether `DELETE` ends a running job. */
  obeysCancel: boolean
  /** Does something else with a request; returns false to leave it to the stub. */
  intercept: (request: StubCall, response: ServerResponse) => boolean
  /** Completes a job. `cost` is JSON text. */
  complete(job: StubVideoJob | undefined, cost?: string | null): void
  close(): Promise<void>
}

/** What every file begins with: the first box of an MP4. */
export const VIDEO_START = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')

/** Every file repeats these bytes; no two neighbouring kilobytes are alike. */
const PERIOD = Buffer.from(Uint8Array.from({ length: 256 * 1024 }, (_, at) => (at * 31 + (at >> 10)) & 0xff))
VIDEO_START.copy(PERIOD)

function* pieces(start: number, end: number): Generator<Buffer> {
  for (let at = start; at <= end;) {
    const from = at % PERIOD.length
    const piece = PERIOD.subarray(from, Math.min(PERIOD.length, from + end + 1 - at))
    yield piece
    at += piece.length
  }
}

/** The bytes of a part of a file. */
export function fileBytes(start: number, end: number): Buffer {
  return Buffer.concat([...pieces(start, end)])
}

function sendJson(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(text)
}

function jobText(job: StubVideoJob): string {
  const { id, status, progress, cost, urls, error } = job
  const parts = [
    `"id":${JSON.stringify(id)},"polling_url":${JSON.stringify(`/api/v1/videos/${id}`)}`,
    `"status":${JSON.stringify(status)}`,
    ...(progress === null ? [] : [`"progress":${progress}`]),
    ...(urls === null ? [] : [`"unsigned_urls":${JSON.stringify(urls)}`]),
    ...(error === null ? [] : [`"error":${JSON.stringify(error)}`]),
    ...(cost === null ? [] : [`"usage":{"cost":${cost},"is_byok":false}`]),
  ]
  return `{${parts.join(',')}}`
}

async function sendFile(stub: StubVideoUpstream, request: StubCall, response: ServerResponse): Promise<void> {
  const { file, fileBytes: total } = stub
  const { range = null } = request.headers
  stub.downloads.push(range)
  if (file.isGone) return sendJson(response, 404, '{"error":{"message":"gone","code":404}}')
  const [, from = '', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? []
  const isPart = file.ranges && from !== ''
  const start = isPart ? Number(from) : 0
  const end = isPart && to !== '' ? Math.min(Number(to), total - 1) : total - 1
  const length = file.lengths ? { 'content-length': end - start + 1 } : {}
  const part = isPart ? { 'content-range': `bytes ${start}-${end}/${file.lengths ? total : '*'}` } : {}
  const headers = { 'content-type': file.contentType, ...length, ...part }
  await play(response, { status: isPart ? 206 : 200, headers, pieces: pieces(start, end) })
}

function answer(stub: StubVideoUpstream, request: StubCall, response: ServerResponse): void | Promise<void> {
  if (stub.intercept(request, response)) return undefined
  const [path = ''] = request.path.split('?')
  const [, id, content] = /^\/v1\/videos\/([^/]+)(\/content)?$/.exec(path) ?? []
  const job = stub.jobs.find((each) => each.id === id)
  if (request.method === 'POST' && path === '/v1/videos') {
    const made: StubVideoJob = {
      ...{ id: `job-${stub.jobs.length + 1}`, status: 'pending', progress: null, cost: null, urls: null, error: null },
      ...{ polls: 0, request: request.json ?? request.body.toString('latin1') },
    }
    stub.jobs.push(made)
    return sendJson(response, 202, jobText(made))
  }
  if (job === undefined) return sendJson(response, 404, '{"error":{"message":"not found","code":404}}')
  if (content !== undefined) return sendFile(stub, request, response)
  if (request.method === 'DELETE') {
    if (!stub.obeysCancel || !/pending|in_progress|queued/.test(job.status)) {
      return sendJson(response, 409, '{"error":{"message":"cannot be cancelled"}}')
    }
    job.status = 'cancelled'
    stub.cancels.push(job.id)
    return sendJson(response, 200, jobText(job))
  }
  job.polls++
  return sendJson(response, 200, jobText(job))
}

/** Starts a stub whose jobs stay pending until a test says otherwise. */
export async function startStubVideoUpstream(): Promise<StubVideoUpstream> {
  const handler: StubHandler = (call, response) => answer(stub, call, response)
  const { url, close } = await startStubUpstream({ handler })
  const stub: StubVideoUpstream = {
    ...{ url, close, jobs: [], cancels: [], downloads: [], fileBytes: 100_000, obeysCancel: true },
    file: { ranges: true, lengths: true, contentType: 'video/mp4', isGone: false },
    intercept: () => false,
    complete(job, cost = '0.6') {
      if (job === undefined) throw new Error('there is no such job')
      job.status = 'completed'
      job.cost = cost
      job.urls = [`/api/v1/videos/${job.id}/content?index=0`]
    },
  }
  return stub
}
