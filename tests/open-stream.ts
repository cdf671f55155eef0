/** A chat as an ordinary HTTP client sees it: exact digits, single frames, and the freedom to leave at any point. */
import { parseCredits, type UsageRecordBody, usageReply } from '@svc/contract'
import { expect } from 'vitest'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'

/** Whatever answers chats: a gateway in this process or in another. */
export type ChatTarget = Pick<TestGateway, 'chat' | 'fetch'>

/** A chat body with one short question. */
export function question(model: string, more: object = {}): Record<string, unknown> {
  return { model, messages: [{ role: 'user', content: 'Say hello to the world.' }], ...more }
}

/** The charge that an answer or a frame reports, in nanocredits, from its very digits. */
export function chargeIn(text: string): bigint {
  const digits = /"svc":\{"credits_charged":([\d.]+)/.exec(text)?.[1]
  const charge = digits === undefined ? null : parseCredits(digits)
  if (charge === null) throw new Error(`no charge in: ${text.slice(0, 500)}`)
  return charge
}

/** One event of a stream. */
export interface Frame {
  readonly text: string
  readonly json: FrameBody
}

export interface FrameBody {
  readonly choices?: readonly {
    readonly delta: { readonly content?: string | null }
    readonly finish_reason: string | null
  }[]
  readonly usage?: Readonly<Record<string, unknown>> | null
  readonly svc?: Readonly<Record<string, unknown>>
  readonly error?: Readonly<Record<string, unknown>>
}

/** A stream that is read as far as the test wants. */
export interface OpenStream {
  readonly requestId: string
  /** Events read so far, without `[DONE]`. */
  readonly frames: readonly Frame[]
  /** The text read so far. */
  text(): string
  /** Reads on until a frame is as wanted; fails when the stream ends before. */
  until(isWanted: (frame: Frame) => boolean): Promise<Frame>
  /** Reads to the end and answers the last event before `[DONE]`; fails when `[DONE]` does not come. */
  rest(): Promise<Frame>
  /** Closes the connection now. */
  leave(): void
}

/** The data of each event. The gateway writes one line of data for each, and comments. */
async function* eventsOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) if (event.startsWith('data: ')) yield event.slice('data: '.length)
  }
}

/** Asks for a stream and waits for its 200. */
export async function openStream(target: ChatTarget, body: object, init: { key?: string } = {}): Promise<OpenStream> {
  const client = new AbortController()
  const response = await target.chat({ ...body, stream: true }, { ...init, signal: client.signal })
  if (response.status !== 200 || response.body === null) {
    throw new Error(`no stream but ${response.status}: ${await response.text()}`)
  }
  // Read from now on: an unread body is cancelled when its response is garbage.
  const events = eventsOf(response.body.getReader())
  const frames: Frame[] = []
  let isDone = false
  const next = async (): Promise<Frame | null> => {
    const event = await events.next()
    if (event.done === true) return null
    if (event.value === '[DONE]') {
      isDone = true
      return null
    }
    const frame = { text: event.value, json: JSON.parse(event.value) as FrameBody }
    frames.push(frame)
    return frame
  }
  return {
    requestId: response.headers.get('x-request-id') ?? '',
    frames,
    text: () => frames.map(contentOf).join(''),
    async until(isWanted) {
      for (;;) {
        const frame = await next()
        if (frame === null) throw new Error(`the stream ended before the frame came: ${frames.at(-1)?.text}`)
        if (isWanted(frame)) return frame
      }
    },
    async rest() {
      while ((await next()) !== null) continue
      if (!isDone) throw new Error(`the stream ended without [DONE] after: ${frames.at(-1)?.text}`)
      return frames.at(-1) as Frame
    },
    leave: () => client.abort(),
  }
}

/** The text that a frame adds. */
export function contentOf({ json }: Frame): string {
  return json.choices?.[0]?.delta.content ?? ''
}

/** Whether a frame brings text. */
export const hasText = (frame: Frame): boolean => contentOf(frame) !== ''

/** Whether a frame finishes the answer. */
export const isFinish = ({ json }: Frame): boolean => (json.choices?.[0]?.finish_reason ?? null) !== null

/** The finish reason that a stream had. */
export function finishReasonOf(stream: Pick<OpenStream, 'frames'>): string | null {
  return stream.frames.find(isFinish)?.json.choices?.[0]?.finish_reason ?? null
}

/** The record of a request that has ended, and its charge in exact nanocredits. */
export async function recordOf(
  target: ChatTarget,
  requestId: string,
  init: { key?: string } = {},
): Promise<UsageRecordBody & { readonly charge: bigint }> {
  const answer = await target.fetch(`/v1/usage/${requestId}`, init)
  const text = await answer.text()
  expect([answer.status, text]).toEqual([200, text])
  const record = usageReply.parse(JSON.parse(text))
  if (record.state !== 'final') throw new Error(`request ${requestId} is not settled yet`)
  const digits = /"credits_charged":([\d.]+)/.exec(text)?.[1] ?? ''
  return { ...record, charge: parseCredits(digits) ?? -1n }
}

/** Asks once and answers status, text, id and, for a 200, the charge. */
export async function ask(target: ChatTarget, body: object, init: { key?: string | null } = {}) {
  const response = await target.chat(body, init)
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    requestId: response.headers.get('x-request-id') ?? '',
    charge: response.status === 200 && body !== null && text.startsWith('{') ? chargeIn(text) : 0n,
    json: text.startsWith('{') ? (JSON.parse(text) as AnswerBody) : null,
  }
}

export interface AnswerBody {
  readonly choices?: readonly {
    readonly finish_reason: string
    readonly message: { readonly content: string | null }
  }[]
  readonly usage?: Readonly<Record<string, unknown>>
  readonly svc?: { readonly credits_charged: number; readonly margin_bps: number; readonly max_tokens_applied?: number }
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly limit?: string
    readonly credits_required?: number
  }
}

/** A wait that a test ends: stubs hold their answers with it. */
export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

export function createGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

/** Whole credits or their decimals, in nanocredits. */
export function credits(text: string): bigint {
  const amount = parseCredits(text)
  if (amount === null) throw new Error(`${text} is no amount`)
  return amount
}

/** All usage records of the key in use, and their sum in exact nanocredits as the totals have it. */
export async function usageOf(
  target: ChatTarget,
): Promise<{ readonly data: readonly UsageRecordBody[]; readonly sum: bigint }> {
  const text = await (await target.fetch('/v1/usage?limit=200')).text()
  const { data } = JSON.parse(text) as { data: UsageRecordBody[] }
  const digits = /"totals":\{"requests":\d+,"credits_charged":([\d.]+)/.exec(text)?.[1] ?? ''
  return { data, sum: parseCredits(digits) ?? -1n }
}
