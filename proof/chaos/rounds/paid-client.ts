/** One client of the rounds: it sends a request of any kind, stays or leaves, and remembers what it was told. */
import { type Agent, type IncomingMessage, request as startRequest } from 'node:http'
import { parseCredits } from '@svc/contract'
import type { PaidKind, PaidRequest } from './paid-kinds.ts'

/** How long a client stays. */
export type Stay =
  | { readonly kind: 'whole' }
  /** Goes once so many bytes of the answer have come. */
  | { readonly kind: 'bytes'; readonly bytes: number }
  /** Goes after so many milliseconds. */
  | { readonly kind: 'time'; readonly ms: number }

export interface PaidQuestion {
  readonly tag: number
  readonly kind: PaidKind
  readonly request: PaidRequest
  readonly rawKey: string
  /** The Idempotency-Key; null without one. */
  readonly name: string | null
}

/** How an attempt ended, as the client saw it. */
export type PaidEnd =
  /** A whole answer; of a video, that it was taken. */
  | 'whole'
  /** An error with a status of its own. */
  | 'refused'
  /** A stream that ended with an error event. */
  | 'failed_stream'
  /** The connection broke. */
  | 'broken'
  /** Nobody listened. */
  | 'unreachable'
  /** The client itself went. */
  | 'left'
  /** Nothing ended it in time: always a fault. */
  | 'hung'
  /** An answer that no client could understand: always a fault. */
  | 'nonsense'

export interface PaidAttempt {
  readonly tag: number
  readonly kind: PaidKind
  readonly name: string | null
  readonly end: PaidEnd
  readonly status: number | null
  readonly requestId: string | null
  /** What it was told to have paid, in nanocredits; null when it was told nothing. */
  readonly charge: bigint | null
  /** It was told that the charge is booked later. */
  readonly isPending: boolean
  readonly isReplay: boolean
  readonly errorCode: string | null
  /** The gateway's id of a video that was taken. */
  readonly jobId: string | null
}

/** An attempt that takes longer hangs, in milliseconds: waits for a database alone are limited to seconds each. */
const HANG_MS = 60_000

interface Received {
  response: IncomingMessage | null
  body: string
  isComplete: boolean
  hasLeft: boolean
  hasHung: boolean
  isUnreachable: boolean
}

function lastCharge(text: string): bigint | null {
  const digits = [...text.matchAll(/"credits_charged":([\d.]+)/g)].at(-1)?.[1]
  return digits === undefined ? null : parseCredits(digits)
}

const NOTHING = { charge: null, isPending: false, errorCode: null, jobId: null } as const
type Verdict = Pick<PaidAttempt, 'end' | 'charge' | 'isPending' | 'errorCode' | 'jobId'>

function headerOf(response: IncomingMessage, name: string): string | null {
  const value = response.headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** The code of the error that an answer ends with, whichever wire form tells it; null where it tells none. */
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
    // A charge that was told counts even when the connection broke behind it: a stream tells it on its last event.
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

/** Asks once and tells what came of it. Never rejects. */
export function askPaid(question: PaidQuestion, port: number, stay: Stay, agent: Agent): Promise<PaidAttempt> {
  const { tag, kind, name, rawKey } = question
  const { path, contentType, body } = question.request
  const received: Received = {
    ...{ response: null, body: '', isComplete: false, hasLeft: false, hasHung: false, isUnreachable: false },
  }
  return new Promise((resolve) => {
    const request = startRequest({
      ...{ host: '127.0.0.1', port, agent, method: 'POST', path: `/api${path}` },
      headers: {
        authorization: `Bearer ${rawKey}`,
        'content-type': contentType,
        'content-length': body.length,
        ...(name === null ? {} : { 'idempotency-key': name }),
      },
    })
    const leave = (why: 'hasLeft' | 'hasHung'): void => {
      received[why] = true
      request.destroy()
    }
    const leaving = stay.kind === 'time' ? setTimeout(leave, stay.ms, 'hasLeft') : undefined
    const hanging = setTimeout(leave, HANG_MS, 'hasHung')
    request.on('response', (response) => {
      received.response = response
      response.setEncoding('latin1')
      response.on('data', (text: string) => {
        received.body += text
        if (stay.kind === 'bytes' && received.body.length >= stay.bytes) leave('hasLeft')
      })
      response.on('end', () => void (received.isComplete = response.complete))
      response.on('error', () => undefined)
    })
    request.on('error', (error) => {
      received.isUnreachable = 'code' in error && error.code === 'ECONNREFUSED'
    })
    request.once('close', () => {
      clearTimeout(leaving)
      clearTimeout(hanging)
      const { response } = received
      resolve({
        ...{ tag, kind, name, status: response?.statusCode ?? null },
        requestId: response === null ? null : headerOf(response, 'x-request-id'),
        isReplay: response !== null && headerOf(response, 'idempotent-replayed') === 'true',
        ...judge(question, received),
      })
    })
    request.end(body)
  })
}

/** What a video is told to be. */
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
