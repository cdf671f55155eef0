/**
 * The answer to one chat, as its bytes come: events or a document, whichever was asked for. The body says what it is;
 * its content type does only where the body does not.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { type BodyForm, FormFinder } from '../body-form.ts'
import {
  type CollectedResponse,
  type Exchange,
  type ExchangeRequest,
  saysNothing,
  startExchange,
} from '../http-exchange.ts'
import { ANSWER_BYTES_MAX, AnswerBytes, ERROR_BYTES_MAX } from './answer-bytes.ts'
import type { ChatStreamReader } from './chat-stream.ts'

/**
 * A caller that waits for an answer. After `started` exactly one of the others is called, or what `events` gives is
 * told.
 */
export interface AnswerReceiver {
  started(status: number, headers: IncomingHttpHeaders): void
  /** The body is events: they go to what this answers. */
  events(headers: IncomingHttpHeaders): ChatStreamReader
  /** The body is a document, and here it is; of one that is too long, its beginning. */
  document(response: CollectedResponse): void
  /** The exchange broke before there was a document. */
  failed(error: Error): void
}

/** Starts an exchange and reports its answer. Nothing is thrown. */
export function receiveAnswer(dispatcher: Dispatcher, sent: ExchangeRequest, receiver: AnswerReceiver): Exchange {
  let status = 0
  let headers: IncomingHttpHeaders = {}
  let finder: FormFinder | null = null
  let reader: ChatStreamReader | null = null
  let bytes = new AnswerBytes(ERROR_BYTES_MAX)
  let isNew = false
  const begin = (form: BodyForm): void => {
    finder = null
    if (form === 'events') reader = receiver.events(headers)
  }
  const exchange: Exchange = startExchange(dispatcher, sent, {
    start: (startedStatus, startedHeaders) => {
      status = startedStatus
      headers = startedHeaders
      if (status === 200) {
        finder = new FormFinder(headers['content-type'])
        bytes = new AnswerBytes(ANSWER_BYTES_MAX)
      }
      receiver.started(status, headers)
    },
    data: (chunk) => {
      const found = finder === null ? { form: null, bytes: chunk } : finder.add(chunk)
      isNew = false
      if (found === null) return
      if (found.form !== null) begin(found.form)
      if (reader !== null) {
        readEvents(exchange, reader, found.bytes)
        isNew = reader.takeNews()
        return
      }
      isNew = !saysNothing(found.bytes)
      try {
        bytes.add(found.bytes)
      } catch (error) {
        receiver.document({ status, headers, body: bytes.joined() })
        exchange.abort(error as Error)
      }
    },
    isNew: () => isNew,
    end: () => {
      if (reader === null) receiver.document({ status, headers, body: bytes.joined() })
      else reader.close()
    },
    fail: (error) => {
      if (reader === null) receiver.failed(error)
      else reader.fail(error)
    },
  })
  return exchange
}

function readEvents(exchange: Exchange, reader: ChatStreamReader, bytes: Buffer): void {
  if (reader.ended) return exchange.abort(new Error('The upstream goes on after the end'))
  reader.data(bytes)
  // After `[DONE]` the answer is left to end by itself, so that its connection can serve the next request.
  if (reader.ended && !reader.sawDone) exchange.abort(new Error('The stream has failed'))
  if (reader.wantsPause) {
    exchange.pause()
    reader.paused()
  }
  reader.wantsPause = false
}
