/**
 * What a body is, by how it begins: servers send events under the content type of JSON, JSON under that of events, and
 * both under none.
 */

/** The fields that an event stream may begin with, and the colon of a comment. */
const FIELDS = ['data', 'event', 'id', 'retry', '']
const EVENTS = /^(?:data|event|id|retry)?:/
const FIELD_BYTES_MAX = 'event:'.length

/** How documents begin: JSON, HTML, XML. */
const DOCUMENT = /^[{["<]/

const BYTE_ORDER_MARK = '\u00ef\u00bb\u00bf'

export type BodyForm = 'events' | 'document'

/**
 * Says what a body is.
 *
 * @param start its first bytes.
 * @param contentType as the server wrote it; decides only where the body itself does not say.
 * @returns null while too little has come.
 */
export function bodyForm(start: Buffer, contentType: string | undefined): BodyForm | null {
  const text = start.toString('latin1')
  const marked = text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text
  const begun = marked.trimStart()
  if (begun === '' || BYTE_ORDER_MARK.startsWith(begun)) return null
  if (EVENTS.test(begun)) return 'events'
  if (DOCUMENT.test(begun)) return 'document'
  const isShort = begun.length < FIELD_BYTES_MAX && FIELDS.some((field) => `${field}:`.startsWith(begun))
  if (isShort) return null
  return isEventStream(contentType) ? 'events' : 'document'
}

function isEventStream(contentType: string | undefined): boolean {
  return /^text\/event-stream\b/i.test(contentType ?? '')
}

/** Decides the form of one body as its bytes come. */
export class FormFinder {
  readonly #contentType: string | undefined
  #kept: Buffer = Buffer.alloc(0)

  constructor(contentType: string | undefined) {
    this.#contentType = contentType
  }

  /** @returns the form, and all bytes so far; null while it is not known. */
  add(chunk: Buffer): { readonly form: BodyForm; readonly bytes: Buffer } | null {
    const bytes = this.#kept.length === 0 ? chunk : Buffer.concat([this.#kept, chunk])
    const form = bodyForm(bytes.subarray(0, LOOKED_AT), this.#contentType)
    if (form !== null) return { form, bytes }
    if (bytes.length < LOOKED_AT) {
      // A copy, since the socket's buffer is shared.
      this.#kept = Buffer.from(bytes)
      return null
    }
    return { form: isEventStream(this.#contentType) ? 'events' : 'document', bytes }
  }
}

/** What is looked at of a body. A server that waits with its answer may send more blanks, and then sends JSON. */
const LOOKED_AT = 4_096
