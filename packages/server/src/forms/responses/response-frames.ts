/**
 * The events of a streamed `response`, made from the frames of a chat. Source: OpenAI, Responses streaming events.
 */
import { extrasOf, hasExtras } from '../../upstreams/openai-compatible/answer-extras.ts'
import { OpenCalls } from '../../upstreams/openai-compatible/open-calls.ts'
import { idWithState, lateState } from '../carried-state.ts'
import {
  type AnswerHead,
  type ChatFrame,
  type FrameTranslator,
  reasoningOf,
  recordOf,
  recordsOf,
  renderNamedEvent,
  textOf,
} from '../translated-chat.ts'
import { CallItem } from './called-items.ts'
import { annotationsOf, type AskedResponse, endStatus, logprobsOf, responseObject } from './response-object.ts'
import { ImageItem, MessageItem, type OutputItem, ReasoningItem } from './response-items.ts'

type Fields = Readonly<Record<string, unknown>>

function idsOf(delta: Fields): { readonly callId: string | null; readonly upstreamId: string | null } {
  const id = textOf(delta['id'])
  return { callId: id === null ? null : idWithState(id, delta), upstreamId: id }
}

/** Writes the events of one stream. */
export class ResponseFrames implements FrameTranslator {
  readonly #asked: AskedResponse
  readonly #head: AnswerHead
  readonly #items: OutputItem[] = []
  readonly #calls = new OpenCalls<CallItem>()
  #open: MessageItem | ReasoningItem | null = null
  #sequence = 0
  #text = ''
  #finishReason: unknown = null
  #usage: Fields | null = null
  #extras: Fields = {}
  #svc: unknown = undefined

  constructor(asked: AskedResponse, head: AnswerHead) {
    this.#asked = asked
    this.#head = head
  }

  frame(frame: ChatFrame): string {
    this.#begin()
    if ('error' in frame) return this.#fail(recordOf(frame['error']))
    if (frame['usage'] !== null && frame['usage'] !== undefined) this.#usage = recordOf(frame['usage'])
    if ('svc' in frame) this.#svc = frame['svc']
    if (hasExtras(frame)) this.#extras = { ...this.#extras, ...extrasOf(frame) }
    for (const choice of recordsOf(frame['choices'])) this.#choice(choice)
    return this.#take()
  }

  end(): string {
    this.#begin()
    const status = endStatus(this.#finishReason)
    const response = { ...this.#ended(status, {}), svc: this.#svc }
    this.#send(`response.${status}`, { response, svc: this.#svc })
    return this.#take()
  }

  /** The error, and what agents wait for: that the answer has failed. Source: OpenAI, `response.failed`. */
  #fail(error: Fields): string {
    const { message, code, param } = error
    this.#send('error', { code: code ?? null, message, param: param ?? null })
    this.#send('response.failed', { response: this.#ended('incomplete', { error }) })
    return this.#take()
  }

  #ended(status: 'completed' | 'incomplete', failure: { readonly error?: Fields }): Fields {
    for (const item of this.#items) item.close(status)
    const output = this.#items.map((item) => item.render())
    const end = { finishReason: this.#finishReason, usage: this.#usage, ...failure }
    return { ...responseObject(this.#asked, this.#head, { output, end }), ...this.#extras }
  }

  /** The stream's first two events, before anything else. */
  #begin(): void {
    if (this.#sequence > 0) return
    const response = responseObject(this.#asked, this.#head, { output: [], end: null })
    this.#send('response.created', { response })
    this.#send('response.in_progress', { response })
  }

  #choice(choice: Fields): void {
    const delta = recordOf(choice['delta'])
    const reasoning = reasoningOf(delta)
    if (reasoning !== null) this.#reasoningItem().add(reasoning)
    const details = recordsOf(delta['reasoning_details'])
    if (details.length > 0) this.#reasoningItem().addDetails(details)
    const text = textOf(delta['content'])
    if (text !== null) this.#messageItem().addText(text, logprobsOf(choice))
    for (const annotation of annotationsOf(delta)) this.#messageItem().addAnnotation(annotation)
    const refusal = textOf(delta['refusal'])
    if (refusal !== null) this.#messageItem().addRefusal(refusal)
    for (const image of recordsOf(delta['images'])) this.#image(image)
    for (const call of recordsOf(delta['tool_calls'])) this.#call(call)
    this.#late(null, delta)
    this.#finishReason = choice['finish_reason'] ?? this.#finishReason
  }

  #reasoningItem(): ReasoningItem {
    if (this.#open instanceof ReasoningItem) return this.#open
    this.#open?.close('completed')
    return this.#opened(new ReasoningItem(this.#place()))
  }

  #messageItem(): MessageItem {
    if (this.#open instanceof MessageItem) return this.#open
    this.#open?.close('completed')
    return this.#opened(new MessageItem(this.#place()))
  }

  #opened<Item extends MessageItem | ReasoningItem>(item: Item): Item {
    this.#items.push(item)
    this.#open = item
    return item
  }

  #place(): ConstructorParameters<typeof MessageItem>[0] {
    const index = this.#items.length
    return { index, head: this.#head, send: (type, event) => this.#send(type, event) }
  }

  #image(image: Fields): void {
    this.#open?.close('completed')
    this.#open = null
    this.#items.push(new ImageItem(this.#place(), image))
  }

  /** Calls may come side by side, so that each stays open until the end. */
  #call(delta: Fields): void {
    const called = recordOf(delta['function'])
    let isNew = false
    const item = this.#calls.take(delta, () => {
      isNew = true
      this.#open?.close('completed')
      this.#open = null
      const made = new CallItem(this.#place(), this.#asked.offered.find(textOf(called['name']) ?? ''), idsOf(delta))
      this.#items.push(made)
      return made
    })
    const text = textOf(called['arguments'])
    if (text !== null) item.add(text)
    if (!isNew) this.#late(item.upstreamId, delta)
  }

  /** A signature that came behind what it signs. */
  #late(callId: string | null, delta: Fields): void {
    const late = lateState(callId, delta)
    if (late !== null) this.#reasoningItem().addDetails([late])
  }

  #send(type: string, event: Fields): void {
    this.#text += renderNamedEvent(type, { type, sequence_number: this.#sequence, ...event })
    this.#sequence += 1
  }

  #take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}
