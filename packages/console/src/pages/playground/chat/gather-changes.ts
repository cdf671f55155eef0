/** Gathers what comes of an answer into few changes of the page: a fast stream must leave it able to hear a click. */
import type { ChatChunk, Exact } from '@svc/contract'
import { type Answer, type AnswerTokens, emptyAnswer, type ToolCall } from './conversation.ts'
import { mergeCalls } from './tool-rounds.ts'

/** So much of a text is laid out, in characters; all of it is kept and copied. */
export const SHOWN_MAX = 200_000

/** A page that is not seen draws no frames. Source: HTML, update the rendering. */
const UNSEEN_MS = 250
/** Nothing but a number changes on the page once a text is longer than what is shown. */
const LONG_MS = 1_000

export interface GatheredChanges {
  addChunk(chunk: Exact<ChatChunk>): void
  addChange(change: (answer: Answer) => Answer): void
  flush(): void
}

/** Calls once, at the next frame; a page without frames has a timer. @returns what calls it off. */
function atNextFrame(work: () => void): () => void {
  const timer = setTimeout(work, UNSEEN_MS)
  if (typeof requestAnimationFrame !== 'function') return () => clearTimeout(timer)
  const frame = requestAnimationFrame(work)
  return () => {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
  }
}

function soon(work: () => void, isLong: boolean): () => void {
  if (!isLong) return atNextFrame(work)
  const timer = setTimeout(work, LONG_MS)
  return () => clearTimeout(timer)
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function imagesOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((image: unknown) => {
    const address: unknown = Reflect.get(Object(Reflect.get(Object(image), 'image_url')), 'url')
    return typeof address === 'string' && address.startsWith('data:image/') ? [address] : []
  })
}

/** Most calls in one answer that are looked at: a place is a number that the model's server chose. */
const CALLS_MAX = 128

/** Parts of calls, each in its place. */
function callsOf(parts: Exact<ChatChunk>['choices'][number]['delta']['tool_calls']): readonly ToolCall[] {
  let calls: readonly ToolCall[] = []
  for (const { index, id = '', function: call } of parts ?? []) {
    if (index < 0 || index >= CALLS_MAX) continue
    const nothing = Array.from({ length: index }, () => ({ id: '', name: '', arguments: '' }))
    calls = mergeCalls(calls, [...nothing, { id, name: call?.name ?? '', arguments: call?.arguments ?? '' }])
  }
  return calls
}

function tokensOf(usage: Exact<ChatChunk>['usage']): AnswerTokens | null {
  const { prompt_tokens: input, completion_tokens: output, completion_tokens_details: details } = usage ?? {}
  if (typeof input !== 'number' || typeof output !== 'number') return null
  return { input, output, reasoning: details?.reasoning_tokens ?? 0 }
}

/** An answer with one more event. */
function withChunk(answer: Answer, { choices, svc, usage }: Exact<ChatChunk>): Answer {
  const [choice] = choices
  const delta = choice?.delta
  const told =
    svc === undefined
      ? {}
      : { charge: svc.credits_charged, isEstimated: svc.estimated === true, limit: svc.max_tokens_applied ?? null }
  return {
    ...answer,
    ...told,
    text: answer.text + textOf(delta?.content) + textOf(delta?.refusal),
    calls: mergeCalls(answer.calls, callsOf(delta?.tool_calls)),
    tokens: tokensOf(usage) ?? answer.tokens,
    reasoning: answer.reasoning + textOf(delta?.reasoning_content),
    images: [...answer.images, ...imagesOf(delta?.['images'])],
    finish: choice?.finish_reason ?? answer.finish,
  }
}

const NOTHING = emptyAnswer('', '')

/** An answer with what has come since. */
function withMore(answer: Answer, more: Answer): Answer {
  const told =
    more.charge === null
      ? {}
      : { charge: more.charge, isEstimated: more.isEstimated, limit: more.limit ?? answer.limit }
  return {
    ...answer,
    ...told,
    text: answer.text + more.text,
    reasoning: answer.reasoning + more.reasoning,
    calls: mergeCalls(answer.calls, more.calls),
    tokens: more.tokens ?? answer.tokens,
    images: more.images.length === 0 ? answer.images : [...answer.images, ...more.images],
    finish: more.finish ?? answer.finish,
  }
}

/** @param tell changes the answer; called once a frame at most, and once a second for a long one. */
export function gatherChanges(tell: (change: (answer: Answer) => Answer) => void): GatheredChanges {
  let more = NOTHING
  let length = 0
  let changes: ((answer: Answer) => Answer)[] = []
  let callOff: (() => void) | null = null
  const flush = (): void => {
    callOff?.()
    callOff = null
    const [come, gathered] = [more, changes]
    more = NOTHING
    changes = []
    length += come.text.length + come.reasoning.length
    if (come === NOTHING && gathered.length === 0) return
    tell((answer) => gathered.reduce((before, change) => change(before), withMore(answer, come)))
  }
  return {
    addChunk(chunk) {
      more = withChunk(more, chunk)
      callOff ??= soon(flush, length > SHOWN_MAX)
    },
    addChange(change) {
      changes.push(change)
      callOff ??= soon(flush, false)
    },
    flush,
  }
}
