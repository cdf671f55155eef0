/** The events of a streamed `message`, made from the frames of a chat. Source: Anthropic, streaming messages. */
import { JsonEnd } from '../../platform/json/json-end.ts'
import { extrasOf, hasExtras } from '../../upstreams/openai-compatible/answer-extras.ts'
import { OpenCalls } from '../../upstreams/openai-compatible/open-calls.ts'
import { idWithState, lateState, sealDetail } from '../carried-state.ts'
import {
  type AnswerHead,
  type ChatFrame,
  type FrameTranslator,
  listsBeside,
  reasoningOf,
  recordOf,
  recordsOf,
  renderNamedEvent,
  textOf,
} from '../translated-chat.ts'
import { messageEnd, messageError, messageObject, sealsOf, usageOf } from './message-object.ts'

type Fields = Readonly<Record<string, unknown>>

/** A block of content. Blocks follow one another in this form, so what comes for a later one waits. */
interface Block {
  readonly kind: string
  readonly start: Fields
  readonly waiting: Fields[]
  isStarted: boolean
  /** Whether its thought has its signature: what is thought after it is another one. */
  isSigned: boolean
  /** Follows the input of a tool to its end. */
  readonly input: JsonEnd
  /** The id of a call, as the upstream gave it; null for what is no call. */
  readonly callId: string | null
}

function isWhole({ kind, input }: Block): boolean {
  return kind !== 'tool_use' || input.isReached
}

const NO_THOUGHT = { type: 'thinking', thinking: '', signature: '' }

/** Writes the events of one stream. */
export class MessageFrames implements FrameTranslator {
  readonly #model: string
  readonly #head: AnswerHead
  readonly #blocks: Block[] = []
  readonly #calls = new OpenCalls<Block>()
  /** The block that is being sent. */
  #current = 0
  #hasBegun = false
  #text = ''
  #finishReason: unknown = null
  #stop: unknown = null
  #usage: Fields = {}
  #extras: Fields = {}
  readonly #beside = { annotations: [] as Fields[], images: [] as Fields[] }
  #svc: unknown = undefined

  constructor(model: string, head: AnswerHead) {
    this.#model = model
    this.#head = head
  }

  frame(frame: ChatFrame): string {
    if ('error' in frame) {
      const error = messageError(recordOf(frame['error']))
      return renderNamedEvent('error', error)
    }
    this.#begin()
    if (frame['usage'] !== null && frame['usage'] !== undefined) this.#usage = recordOf(frame['usage'])
    if ('svc' in frame) this.#svc = frame['svc']
    if (hasExtras(frame)) this.#extras = { ...this.#extras, ...extrasOf(frame) }
    for (const choice of recordsOf(frame['choices'])) this.#choice(choice)
    this.#sendBlocks(false)
    return this.#take()
  }

  end(): string {
    this.#begin()
    this.#sendBlocks(true)
    const delta = messageEnd(this.#finishReason, this.#stop)
    this.#send('message_delta', {
      delta,
      usage: usageOf(this.#usage),
      ...this.#extras,
      ...listsBeside(this.#beside),
      svc: this.#svc,
    })
    this.#send('message_stop', { svc: this.#svc })
    return this.#take()
  }

  #begin(): void {
    if (this.#hasBegun) return
    this.#hasBegun = true
    const usage = usageOf({})
    const message = messageObject(this.#model, this.#head, { content: [], end: null, usage })
    this.#send('message_start', { message })
    this.#send('ping', {})
  }

  #choice(choice: Fields): void {
    const delta = recordOf(choice['delta'])
    const thinking = reasoningOf(delta)
    if (thinking !== null) this.#thought().waiting.push({ type: 'thinking_delta', thinking })
    const { signature, redacted } = sealsOf(delta)
    if (signature !== '') this.#sign(signature)
    for (const data of redacted) this.#add('redacted_thinking', { type: 'redacted_thinking', data })
    const text = textOf(delta['content']) ?? textOf(delta['refusal'])
    if (text !== null) this.#last('text', { type: 'text', text: '' }).waiting.push({ type: 'text_delta', text })
    for (const name of ['annotations', 'images'] as const) this.#beside[name].push(...recordsOf(delta[name]))
    for (const call of recordsOf(delta['tool_calls'])) this.#call(call)
    this.#late(null, delta)
    const reason = choice['finish_reason'] ?? null
    if (textOf(delta['refusal']) !== null) this.#finishReason = 'content_filter'
    else if (reason !== null && this.#finishReason !== 'content_filter') this.#finishReason = reason
    this.#stop = choice['stop_reason'] ?? this.#stop
  }

  /** The block of what is being thought. */
  #thought(): Block {
    const last = this.#blocks.at(-1)
    return last?.kind === 'thinking' && !last.isSigned ? last : this.#add('thinking', NO_THOUGHT)
  }

  #sign(signature: string): void {
    const block = this.#last('thinking', NO_THOUGHT)
    block.isSigned = true
    block.waiting.push({ type: 'signature_delta', signature })
  }

  /** The last block where it is of a kind, else a new one. */
  #last(kind: string, start: Fields): Block {
    const last = this.#blocks.at(-1)
    return last?.kind === kind ? last : this.#add(kind, start)
  }

  #add(kind: string, start: Fields, callId: string | null = null): Block {
    const block = { kind, start, waiting: [], isStarted: false, isSigned: false, input: new JsonEnd(), callId }
    this.#blocks.push(block)
    return block
  }

  #call(delta: Fields): void {
    const called = recordOf(delta['function'])
    let isNew = false
    const block = this.#calls.take(delta, () => {
      isNew = true
      const id = textOf(delta['id']) ?? `toolu_${this.#head.requestId.replaceAll('-', '')}_${this.#blocks.length}`
      const name = textOf(called['name']) ?? ''
      return this.#add('tool_use', { type: 'tool_use', id: idWithState(id, delta), name, input: {} }, id)
    })
    if (!isNew) this.#late(block.callId, delta)
    const text = textOf(called['arguments'])
    if (text === null) return
    block.input.push(text)
    block.waiting.push({ type: 'input_json_delta', partial_json: text })
  }

  /** A signature that came behind what it signs. */
  #late(callId: string | null, delta: Fields): void {
    const late = lateState(callId, delta)
    const data = late === null ? null : sealDetail(late)
    if (data !== null) this.#add('redacted_thinking', { type: 'redacted_thinking', data })
  }

  /** Sends what waits for the current block, and goes on to the next once that is whole. */
  #sendBlocks(isOver: boolean): void {
    for (let block = this.#blocks[this.#current]; block !== undefined; block = this.#blocks[this.#current]) {
      const index = this.#current
      if (!block.isStarted) this.#send('content_block_start', { index, content_block: block.start })
      block.isStarted = true
      for (const delta of block.waiting.splice(0)) this.#send('content_block_delta', { index, delta })
      const isLast = index === this.#blocks.length - 1
      if (!isOver && (isLast || !isWhole(block))) return
      this.#send('content_block_stop', { index })
      this.#current += 1
    }
  }

  #send(type: string, event: Fields): void {
    this.#text += renderNamedEvent(type, { type, ...event })
  }

  #take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }
}
