/** One client of the chaos run: it asks, behaves well or badly, and remembers exactly what it was told. */
import { type Agent, type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http'
import { parseCredits } from '@svc/contract'

/** How a client can behave. */
export type Manners =
  | { readonly kind: 'polite' }
  /** Waits between two reads, in milliseconds. */
  | { readonly kind: 'slow'; readonly pauseMs: number }
  /** Hangs up once so many bytes of the answer have come. */
  | { readonly kind: 'hang_up'; readonly afterBytes: number }
  /** Hangs up so long after the question, in milliseconds, unless the answer is whole by then. */
  | { readonly kind: 'leave'; readonly afterMs: number }
  /** Sends a part of the body and goes. */
  | { readonly kind: 'half_body' }

export interface Question {
  readonly tag: number
  readonly port: number
  readonly keyIndex: number
  readonly rawKey: string
  readonly stream: boolean
  readonly body: string
  readonly manners: Manners
}

/** How an attempt ended, as the client saw it. */
export type AttemptEnd =
  /** A whole answer with its charge. */
  | 'whole'
  /** An error with a status of its own, received whole. */
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

export interface Attempt {
  readonly tag: number
  readonly keyIndex: number
  readonly stream: boolean
  readonly startedAt: number
  readonly endedAt: number
  readonly end: AttemptEnd
  readonly status: number | null
  readonly requestId: string | null
  /** What it was told to have paid, in nanocredits; null when it was told nothing. */
  readonly charge: bigint | null
  readonly text: string
  readonly finishReason: string | null
  readonly errorCode: string | null
}

/**
 * An attempt that takes longer than this hangs, in milliseconds. Every wait of the gateway and the upstream is
 * far shorter.
 */
const HANG_MS = 45_000

interface Received {
  status: number | null
  requestId: string | null
  contentType: string
  body: string
  isComplete: boolean
  left: boolean
  hung: boolean
  isUnreachable: boolean
}

type Verdict = Pick<Attempt, 'end' | 'charge' | 'text' | 'finishReason' | 'errorCode'>

const NOTHING: Verdict = { end: 'broken', charge: null, text: '', finishReason: null, errorCode: null }

function chargeIn(text: string): bigint | null {
  const digits = /"svc":\{"credits_charged":([\d.]+)/.exec(text)?.[1]
  return digits === undefined ? null : parseCredits(digits)
}

interface ChatBody {
  readonly error?: { readonly code?: string }
  readonly choices?: readonly {
    readonly finish_reason?: string | null
    readonly message?: { readonly content?: string | null }
    readonly delta?: { readonly content?: string | null }
  }[]
}

function parse(text: string): ChatBody | null {
  try {
    return JSON.parse(text) as ChatBody
  } catch {
    return null
  }
}

function judgeJson({ status, body }: Received): Verdict {
  const json = parse(body)
  if (json === null) return { ...NOTHING, end: 'nonsense' }
  if (status !== 200) {
    const errorCode = json.error?.code ?? null
    return { ...NOTHING, end: errorCode === null ? 'nonsense' : 'refused', errorCode }
  }
  const [choice] = json.choices ?? []
  const charge = chargeIn(body)
  const said = { text: choice?.message?.content ?? '', finishReason: choice?.finish_reason ?? null }
  return { ...NOTHING, ...said, end: charge === null ? 'nonsense' : 'whole', charge }
}

function judgeStream({ body }: Received): Verdict {
  let text = ''
  let finishReason: string | null = null
  let errorCode: string | null = null
  let charge: bigint | null = null
  let isDone = false
  for (const event of body.split('\n\n')) {
    if (event === '' || event.startsWith(':')) continue
    const data = event.replace(/^data: /, '')
    if (data === '[DONE]') {
      isDone = true
      continue
    }
    const json = parse(data)
    if (json === null || isDone) return { ...NOTHING, end: isDone ? 'nonsense' : 'broken', text }
    errorCode ??= json.error?.code ?? null
    const [choice] = json.choices ?? []
    text += choice?.delta?.content ?? ''
    finishReason ??= choice?.finish_reason ?? null
    charge ??= chargeIn(data)
  }
  const said = { text, finishReason, errorCode, charge }
  if (!isDone) return { ...said, end: 'broken' }
  if (errorCode !== null) return { ...said, end: 'failed_stream' }
  return { ...said, end: charge === null ? 'nonsense' : 'whole' }
}

function judge(received: Received): Verdict {
  if (received.hung) return { ...NOTHING, end: 'hung' }
  if (received.isUnreachable) return { ...NOTHING, end: 'unreachable' }
  const isStream = received.contentType.startsWith('text/event-stream')
  const seen = received.status === null ? NOTHING : isStream ? judgeStream(received) : judgeJson(received)
  // A charge that was told counts even when the connection broke behind it: a stream tells it on its last event.
  const isWhole = received.isComplete || (isStream && seen.end === 'whole')
  if (isWhole) return seen
  return { ...(isStream ? seen : NOTHING), end: received.left ? 'left' : 'broken' }
}

function readSlowly(response: IncomingMessage, pauseMs: number): void {
  response.pause()
  setTimeout(() => response.resume(), pauseMs)
}

function receive(question: Question, request: ClientRequest, response: IncomingMessage, received: Received): void {
  received.status = response.statusCode ?? null
  received.requestId = String(response.headers['x-request-id'] ?? '') || null
  received.contentType = response.headers['content-type'] ?? ''
  const { manners } = question
  let bytes = 0
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    received.body += text
    bytes += text.length
    if (manners.kind === 'slow') readSlowly(response, manners.pauseMs)
    if (manners.kind !== 'hang_up' || bytes < manners.afterBytes || received.left) return
    received.left = true
    request.destroy()
  })
  response.on('end', () => {
    received.isComplete = response.complete
  })
  response.on('error', () => undefined)
}

function send(question: Question, agent: Agent, received: Received): ClientRequest {
  const request = startRequest({
    ...{ host: '127.0.0.1', port: question.port, agent, method: 'POST', path: '/api/v1/chat/completions' },
    headers: {
      authorization: `Bearer ${question.rawKey}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(question.body),
    },
  })
  request.on('response', (response) => receive(question, request, response, received))
  request.on('error', (error) => {
    received.isUnreachable = 'code' in error && error.code === 'ECONNREFUSED'
  })
  if (question.manners.kind !== 'half_body') request.end(question.body)
  else {
    request.write(question.body.slice(0, question.body.length / 2), () => {
      received.left = true
      request.destroy()
    })
  }
  return request
}

/** Asks once and tells what came of it. Never rejects. */
export function ask(question: Question, agent: Agent): Promise<Attempt> {
  const startedAt = Date.now()
  const received: Received = {
    ...{ status: null, requestId: null, contentType: '', body: '' },
    ...{ isComplete: false, left: false, hung: false, isUnreachable: false },
  }
  return new Promise((resolve) => {
    const { manners, tag, keyIndex, stream } = question
    const request = send(question, agent, received)
    const goAway = (): void => {
      received.left = true
      request.destroy()
    }
    const leaving = manners.kind === 'leave' ? setTimeout(goAway, manners.afterMs) : undefined
    const hanging = setTimeout(() => {
      received.hung = true
      request.destroy()
    }, HANG_MS)
    request.once('close', () => {
      clearTimeout(leaving)
      clearTimeout(hanging)
      const { status, requestId } = received
      resolve({ tag, keyIndex, stream, startedAt, endedAt: Date.now(), status, requestId, ...judge(received) })
    })
  })
}
