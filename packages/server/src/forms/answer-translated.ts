/** The edge's part of a chat in another form: as a chat is answered, but each answer and frame is written again. */
import { randomUUID } from 'node:crypto'
import type { IdempotentRun } from '../admission/idempotency/idempotency.ts'
import { completeChat } from '../modalities/chat/complete-chat.ts'
import { streamChat } from '../modalities/chat/stream-chat.ts'
import type { StreamReader } from '../pipeline/frame-writer.ts'
import { type AnswerHead, renameParam, type TranslatedChat, translatedReader } from './translated-chat.ts'
import type { Caller } from '../access/keys/caller.ts'
import { storeStream, storeResponse } from '../edge/idempotent-response.ts'
import type { FormRoutesDeps } from './form-routes-deps.ts'
import type { RouteCall } from '../edge/route.ts'
import { streamReader } from '../edge/stream-reader.ts'
import { takeStream } from '../edge/stream-slot.ts'
import { setChargeHeaders } from '../edge/set-charge-headers.ts'

/** A translated chat that is about to be answered. `run` is null without an Idempotency-Key. */
export interface AdmittedTranslation {
  readonly caller: Caller
  readonly chat: TranslatedChat
  readonly run: IdempotentRun | null
}

const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Keeps of an answer what its client may refer to in the next turn. An answer goes out all the same where that fails:
 * the next turn is then refused.
 */
async function keepItems(deps: FormRoutesDeps, { caller, chat }: AdmittedTranslation, head: AnswerHead, text: string) {
  try {
    const output = chat.itemsOf?.(text) ?? null
    const { requestId, seed } = head
    if (output !== null) await deps.keptItems.keep({ keyId: caller.keyId, requestId, seed, output })
  } catch (error) {
    deps.log.error({ err: error }, 'the items of an answer could not be kept')
  }
}

/** A reader whose end waits until it is kept. */
function keptReader(reader: StreamReader, keep: (text: string) => Promise<void>): StreamReader {
  return {
    get gone() {
      return reader.gone
    },
    charged: (charge) => reader.charged(charge),
    open: () => {
      const writer = reader.open()
      return {
        write: (text) => writer.write(text),
        end: (text) => void keep(text).finally(() => writer.end(text)),
        onDrain: (listener) => writer.onDrain(listener),
      }
    },
  }
}

async function answerStream(deps: FormRoutesDeps, call: RouteCall, admitted: AdmittedTranslation) {
  const { caller, chat, run } = admitted
  const giveBack = await takeStream(deps, caller)
  const task = { caller, call: chat.call, requestId: call.request.id }
  const head = headOf(deps, call)
  const translator = chat.frames(head)
  const plain = streamReader(deps, call)
  const isKept = (chat.itemsOf ?? null) !== null
  const reader = isKept ? keptReader(plain, (text) => keepItems(deps, admitted, head, text)) : plain
  try {
    await storeStream(deps, reader, run, (inner) => streamChat(deps.chat, task, translatedReader(inner, translator)))
  } catch (error) {
    // A stream that is open already cannot become another answer; a broken connection is what is left to tell.
    if (call.reply.raw.headersSent) call.reply.raw.destroy()
    throw error
  } finally {
    giveBack()
  }
}

function headOf(deps: FormRoutesDeps, { request }: RouteCall): AnswerHead {
  return { requestId: request.id, now: deps.clock.now(), seed: randomUUID().replaceAll('-', '') }
}

async function answerWhole(deps: FormRoutesDeps, call: RouteCall, admitted: AdmittedTranslation) {
  const { caller, chat, run } = admitted
  const { request, reply } = call
  const head = headOf(deps, call)
  const json = await storeResponse(deps, run, async () => {
    const completed = await completeChat(deps.chat, { caller, call: chat.call, requestId: request.id })
    const headers = setChargeHeaders(call, completed.charged)
    const body = chat.whole(completed.body, head)
    await keepItems(deps, admitted, head, body)
    return { contentType: JSON_TYPE, headers, body }
  })
  return reply.type(JSON_TYPE).send(json)
}

/** Answers a translated chat, whole or as a stream. @throws {ServiceError} as a chat does, in the names of its form. */
export async function answerTranslated(
  deps: FormRoutesDeps,
  call: RouteCall,
  admitted: AdmittedTranslation,
): Promise<unknown> {
  const { chat } = admitted
  try {
    return await (chat.call.request.stream === true ? answerStream : answerWhole)(deps, call, admitted)
  } catch (error) {
    throw renameParam(error, chat.fields)
  }
}
