/** One client of the chaos run: it asks, behaves well or badly, and remembers exactly what it was told. */
import type { Agent } from 'node:http'
import { parseCredits } from '@svc/contract'
import { attempt, type AttemptEnd, headerOf, type Manners, type Received } from './attempt.ts'

export interface Question {
  readonly tag: number
  readonly port: number
  readonly keyIndex: number
  readonly rawKey: string
  readonly stream: boolean
  readonly body: string
  readonly manners: Manners
}

export interface Attempt {
  readonly tag: number
  readonly keyIndex: number
  readonly stream: boolean
  readonly startedAt: number
  readonly endedAt: number
  readonly end: AttemptEnd
  readonly status: number | null
  readonly requestId: string | null
  /** The charge that it saw, in nanocredits; null when it saw none. */
  readonly charge: bigint | null
  readonly text: string
  readonly finishReason: string | null
  readonly errorCode: string | null
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

function judgeJson({ response, body }: Received): Verdict {
  const json = parse(body)
  if (json === null) return { ...NOTHING, end: 'nonsense' }
  if (response?.statusCode !== 200) {
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
  if (received.hasHung) return { ...NOTHING, end: 'hung' }
  if (received.isUnreachable) return { ...NOTHING, end: 'unreachable' }
  const { response } = received
  const isStream = (response?.headers['content-type'] ?? '').startsWith('text/event-stream')
  const seen = response === null ? NOTHING : isStream ? judgeStream(received) : judgeJson(received)
  // A charge that was reported counts even when the connection broke after it: a stream has it on its last event.
  const isWhole = received.isComplete || (isStream && seen.end === 'whole')
  if (isWhole) return seen
  return { ...(isStream ? seen : NOTHING), end: received.hasLeft ? 'left' : 'broken' }
}

/** Asks once and reports what came of it. Never rejects. */
export async function ask(question: Question, agent: Agent): Promise<Attempt> {
  const startedAt = Date.now()
  const { manners, tag, keyIndex, stream, port, rawKey } = question
  const headers = { 'content-type': 'application/json' }
  const asked = { port, rawKey, headers, path: '/v1/chat/completions', body: Buffer.from(question.body) }
  const received = await attempt(asked, manners, agent)
  const { response } = received
  return {
    ...{ tag, keyIndex, stream, startedAt, endedAt: Date.now(), status: response?.statusCode ?? null },
    requestId: response === null ? null : headerOf(response, 'x-request-id'),
    ...judge(received),
  }
}
