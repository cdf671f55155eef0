/** The items of a streamed `response`: each reports its beginning, its progress and its end. */
import type { AnswerHead } from '../translated-chat.ts'
import { imageItem, itemId, sealOf, textPart } from './response-object.ts'

type Fields = Readonly<Record<string, unknown>>
type Status = 'completed' | 'incomplete'
export type ItemStatus = Status | 'in_progress'

/** Where an item is in the answer, and where its events go. */
export interface ItemPlace {
  readonly index: number
  readonly head: AnswerHead
  readonly send: (type: string, event: Fields) => void
}

export interface OutputItem {
  /** Ends it once; ending it again does nothing. */
  close(status: Status): void
  /** The item as it is by now. */
  render(): Fields
}

/** A part of a message that grows. */
interface Part {
  text: string
  readonly kind: 'text' | 'refusal'
  readonly logprobs: Fields[]
  readonly annotations: Fields[]
}

function renderPart({ kind, text, logprobs, annotations }: Part): Fields {
  return kind === 'text' ? textPart(text, logprobs, annotations) : { type: 'refusal', refusal: text }
}

/** A message of the assistant. */
export class MessageItem implements OutputItem {
  readonly #place: ItemPlace
  readonly #id: string
  readonly #parts: Part[] = []
  #status: ItemStatus = 'in_progress'

  constructor(place: ItemPlace) {
    this.#place = place
    this.#id = itemId('msg', place.head, place.index)
    place.send('response.output_item.added', { output_index: place.index, item: this.render() })
  }

  addText(text: string, logprobs: readonly Fields[]): void {
    const part = this.#part('text')
    part.text += text
    for (const each of logprobs) part.logprobs.push(each)
    this.#send('response.output_text.delta', { delta: text, logprobs })
  }

  addAnnotation(annotation: Fields): void {
    const { annotations } = this.#part('text')
    const index = annotations.push(annotation) - 1
    this.#send('response.output_text.annotation.added', { annotation_index: index, annotation })
  }

  addRefusal(text: string): void {
    this.#part('refusal').text += text
    this.#send('response.refusal.delta', { delta: text })
  }

  close(status: Status): void {
    if (this.#status !== 'in_progress') return
    this.#closePart()
    this.#status = status
    this.#place.send('response.output_item.done', { output_index: this.#place.index, item: this.render() })
  }

  render(): Fields {
    const content = this.#parts.map(renderPart)
    return { id: this.#id, type: 'message', status: this.#status, role: 'assistant', content }
  }

  #part(kind: Part['kind']): Part {
    const last = this.#parts.at(-1)
    if (last?.kind === kind) return last
    this.#closePart()
    const part: Part = { text: '', kind, logprobs: [], annotations: [] }
    this.#parts.push(part)
    this.#send('response.content_part.added', { part: renderPart(part) })
    return part
  }

  #closePart(): void {
    const part = this.#parts.at(-1)
    if (part === undefined) return
    const { text, logprobs } = part
    if (part.kind === 'text') this.#send('response.output_text.done', { text, logprobs })
    else this.#send('response.refusal.done', { refusal: text })
    this.#send('response.content_part.done', { part: renderPart(part) })
  }

  #send(type: string, event: Fields): void {
    const place = { item_id: this.#id, output_index: this.#place.index, content_index: this.#parts.length - 1 }
    this.#place.send(type, { ...place, ...event })
  }
}

/** What a model shows of its reasoning. */
export class ReasoningItem implements OutputItem {
  readonly #place: ItemPlace
  readonly #id: string
  #text = ''
  #status: Status | 'in_progress' = 'in_progress'
  readonly #details: Fields[] = []

  constructor(place: ItemPlace) {
    this.#place = place
    this.#id = itemId('rs', place.head, place.index)
    place.send('response.output_item.added', {
      output_index: place.index,
      item: { id: this.#id, type: 'reasoning', summary: [], status: 'in_progress' },
    })
    this.#send('response.reasoning_summary_part.added', { part: { type: 'summary_text', text: '' } })
  }

  add(text: string): void {
    this.#text += text
    this.#send('response.reasoning_summary_text.delta', { delta: text })
  }

  /** What the model needs again of it; the item shows it once it is closed. */
  addDetails(details: readonly Fields[]): void {
    for (const detail of details) this.#details.push(detail)
  }

  close(status: Status): void {
    if (this.#status !== 'in_progress') return
    this.#status = status
    const part = { type: 'summary_text', text: this.#text }
    this.#send('response.reasoning_summary_text.done', { text: this.#text })
    this.#send('response.reasoning_summary_part.done', { part })
    this.#place.send('response.output_item.done', { output_index: this.#place.index, item: this.render() })
  }

  render(): Fields {
    const sealed = sealOf(this.#details)
    const summary = [{ type: 'summary_text', text: this.#text }]
    const item = { id: this.#id, type: 'reasoning', summary, status: this.#status }
    return sealed === null ? item : { ...item, encrypted_content: sealed }
  }

  #send(type: string, event: Fields): void {
    this.#place.send(type, { item_id: this.#id, output_index: this.#place.index, summary_index: 0, ...event })
  }
}

/** An image that a model has made. It comes whole. */
export class ImageItem implements OutputItem {
  readonly #id: string
  readonly #image: Fields

  constructor({ head, index, send }: ItemPlace, image: Fields) {
    this.#id = itemId('ig', head, index)
    this.#image = image
    send('response.output_item.added', { output_index: index, item: imageItem(this.#id, image, 'in_progress') })
    send('response.image_generation_call.completed', { output_index: index, item_id: this.#id })
    send('response.output_item.done', { output_index: index, item: this.render() })
  }

  close(): void {
    // It was whole from its beginning.
  }

  render(): Fields {
    return imageItem(this.#id, this.#image, 'completed')
  }
}
