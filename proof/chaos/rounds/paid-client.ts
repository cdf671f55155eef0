/** One client of the rounds: it sends a request of any kind, stays or leaves, and remembers what it saw. */
import type { Agent, IncomingMessage } from 'node:http'
import { parseCredits } from '@svc/contract'
import { attempt, type AttemptEnd, HANG_MS, headerOf, type Manners, type Received } from '../attempt.ts'
import type { PaidKind, PaidRequest } from './paid-kinds.ts'

export interface PaidQuestion {
  readonly tag: number
  readonly kind: PaidKind
  readonly request: PaidRequest
  readonly rawKey: string
  /** The Idempotency-Key; null without one. */
  readonly name: string | null
}

export interface PaidAttempt {
  readonly tag: number
  readonly kind: PaidKind
  readonly name: string | null
  readonly end: AttemptEnd
  readonly status: number | null
  readonly requestId: string | null
  /** The charge that it saw, in nanocredits; null when it saw none. */
  readonly charge: bigint | null
  /** It saw that the charge is pending. */
  readonly isPending: boolean
  readonly isReplay: boolean
  readonly errorCode: string | null
  /** The gateway's id of a video that was taken. */
  readonly jobId: string | null
  /** The gateway that was asked. */
  readonly port: number
  /** When it was sent and when it was over, by the monotonic clock of this process in milliseconds. */
  readonly startedAt: number
  readonly endedAt: number
}

function lastCharge(text: string): bigint | null {
  const digits = [...text.matchAll(/"credits_charged":([\d.]+)/g)].at(-1)?.[1]
  return digits === undefined ? null : parseCredits(digits)
}

const NOTHING = { charge: null, isPending: false, errorCode: null, jobId: null } as const
type Verdict = Pick<PaidAttempt, 'end' | 'charge' | 'isPending' | 'errorCode' | 'jobId'>

/** The code of the error that an answer ends with, in whichever wire form; null where there is none. */
function errorCodeIn(text: string): string | null {
  const found = /"error":\s?\{(?:[^{}]|\{[^{}]*\})*?"code":\s?"(\w+)"/.exec(text)?.[1]
  return found ?? (/"type":"error"/.test(text) ? 'unnamed' : null)
}

function judgeAnswer(question: PaidQuestion, response: IncomingMessage, received: Received): Verdict {
  const { body, isComplete, hasLeft } = received
  const broken: Verdict = { ...NOTHING, end: hasLeft ? 'left' : 'broken' }
  const isEvents = (response.headers['content-type'] ?? '').startsWith('text/event-stream')
  if (response.statusCode !== 200) {
    if (!isComplete) return broken
    const errorCode = errorCodeIn(body)
    return { ...NOTHING, end: errorCode === null ? 'nonsense' : 'refused', errorCode }
  }
  const header = headerOf(response, 'x-svc-credits-charged')
  const charge = lastCharge(body) ?? (header === null ? null : parseCredits(header))
  const isPending = /"state":"pending"/.test(body) || headerOf(response, 'x-svc-charge-state') === 'pending'
  if (isEvents) {
    const errorCode = errorCodeIn(body)
    if (errorCode !== null) return { ...NOTHING, end: 'failed_stream', charge, errorCode }
    // A charge that was reported counts even when the connection broke after it: a stream has it on its last event.
    if (lastCharge(body) !== null) return { ...NOTHING, end: 'whole', charge, isPending }
    return isComplete && !hasLeft ? { ...NOTHING, end: 'nonsense' } : broken
  }
  if (!isComplete) return broken
  if (question.kind === 'video') {
    const jobId = /"id":"([^"]+)"/.exec(body)?.[1] ?? null
    return { ...NOTHING, end: jobId === null ? 'nonsense' : 'whole', jobId }
  }
  return { ...NOTHING, end: charge === null ? 'nonsense' : 'whole', charge, isPending }
}

function judge(question: PaidQuestion, received: Received): Verdict {
  if (received.hasHung) return { ...NOTHING, end: 'hung' }
  if (received.response !== null) return judgeAnswer(question, received.response, received)
  if (received.isUnreachable) return { ...NOTHING, end: 'unreachable' }
  return { ...NOTHING, end: received.hasLeft ? 'left' : 'broken' }
}

/** Asks once and reports what came of it. Never rejects. */
export async function askPaid(
  question: PaidQuestion,
  port: number,
  manners: Manners,
  agent: Agent,
): Promise<PaidAttempt> {
  const { tag, kind, name, rawKey, request } = question
  const { path, contentType, body } = request
  const headers = { 'content-type': contentType, ...(name === null ? {} : { 'idempotency-key': name }) }
  const startedAt = performance.now()
  const received = await attempt({ port, path, rawKey, headers, body }, manners, agent)
  const { response } = received
  return {
    ...{ tag, kind, name, port, status: response?.statusCode ?? null },
    requestId: response === null ? null : headerOf(response, 'x-request-id'),
    isReplay: response !== null && headerOf(response, 'idempotent-replayed') === 'true',
    ...judge(question, received),
    ...{ startedAt, endedAt: performance.now() },
  }
}

/** The reported state of a video. */
export interface VideoTold {
  readonly state: string
  /** In nanocredits; null before it is completed. */
  readonly charge: bigint | null
}

/** Asks after a video. @returns null when there is no answer. */
export async function readVideo(port: number, rawKey: string, jobId: string): Promise<VideoTold | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/videos/${jobId}`, {
      headers: { authorization: `Bearer ${rawKey}` },
      signal: AbortSignal.timeout(HANG_MS / 3),
    })
    const text = await response.text()
    if (response.status !== 200) return null
    return { state: /"status":"(\w+)"/.exec(text)?.[1] ?? '', charge: lastCharge(text) }
  } catch {
    return null
  }
}
