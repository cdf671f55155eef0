/** The edge's part of a chat in another form: as a chat is answered, but each answer and frame is written again. */
import { randomUUID } from 'node:crypto'
import type { IdempotentRun } from '../admission/idempotency/idempotency.ts'
import { completeChat } from '../modalities/chat/complete-chat.ts'
import { completeChats } from '../modalities/chat/complete-chats.ts'
import { streamChat } from '../modalities/chat/stream-chat.ts'
import type { FrameWriter, StreamEnd, StreamReader } from '../pipeline/frame-writer.ts'
import { type AnswerHead, renameParam, type TranslatedChat, translatedReader } from './translated-chat.ts'
import type { Caller } from '../access/keys/caller.ts'
import { storeStream, storeResponse } from '../edge/idempotent-response.ts'
import { paidTask } from '../edge/paid-task.ts'
import type { FormRoutesDeps } from './form-routes-deps.ts'
import type { RouteCall } from '../edge/route.ts'
import { streamReader } from '../edge/stream-reader.ts'
import { asStream } from '../edge/stream-slot.ts'
import { setChargeHeaders } from '../edge/set-charge-headers.ts'
import { waitAMoment } from '../edge/wait-a-moment.ts'

/** A translated chat that is about to be answered. `run` is null without an Idempotency-Key. */
export interface AdmittedTranslation {
  readonly caller: Caller
  readonly chat: TranslatedChat
  readonly run: IdempotentRun | null
}

const JSON_TYPE = 'application/json; charset=utf-8'

async function keepItems(deps: FormRoutesDeps, { caller, chat }: AdmittedTranslation, head: AnswerHead, text: string) {
  const output = chat.itemsOf?.(text) ?? null
  const { requestId, seed } = head
  if (output !== null)
    await deps.keptItems.keep({ accountId: caller.accountId, keyId: caller.keyId, requestId, seed, output })
}

async function storeTurn(deps: FormRoutesDeps, { caller, chat }: AdmittedTranslation, text: string) {
  const turn = chat.turnOf?.(text) ?? null
  if (turn !== null) await deps.storedResponses.keep(caller.teamId, turn.id, turn.stored)
}

/**
 * Keeps of an answer what its client may refer to in the next turn. An answer goes out all the same where that fails:
 * the next turn is then refused.
 */
async function keepAnswer(deps: FormRoutesDeps, admitted: AdmittedTranslation, head: AnswerHead, text: string) {
  const work = [keepItems(deps, admitted, head, text), storeTurn(deps, admitted, text)]
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') deps.log.error({ err: result.reason as unknown }, 'an answer could not be kept')
  }
}

/** A stream whose end is kept while other work on it goes on, and leaves once that is done or a moment has gone by. */
class KeptStream {
  readonly #keep: (text: string) => Promise<void>
  #keeping: Promise<void> = Promise.resolve()

  constructor(keep: (text: string) => Promise<void>) {
    this.#keep = keep
  }

  /** Begins to keep what ends a reader. */
  watched(reader: StreamReader): StreamReader {
    return withEnd(reader, (writer, text) => {
      this.#keeping = waitAMoment(this.#keep(text))
      writer.end(text)
    })
  }

  /** Sends the end of a reader once it is kept. */
  delayed(reader: StreamReader): StreamReader {
    return withEnd(reader, (writer, text) => void this.#keeping.finally(() => writer.end(text)))
  }
}

/** A reader whose end is sent by other code. */
function withEnd(reader: StreamReader, end: (writer: FrameWriter, text: string) => void): StreamReader {
  return {
    get gone() {
      return reader.gone
    },
    charged: (charge) => reader.charged(charge),
    open: () => {
      const writer = reader.open()
      return {
        write: (text) => writer.write(text),
        end: (text) => end(writer, text),
        onDrain: (listener) => writer.onDrain(listener),
      }
    },
  }
}

/** Asks for all chats of a request, whole. */
function completeAll(deps: FormRoutesDeps, routed: RouteCall, { caller, chat }: AdmittedTranslation) {
  const { call, together = null } = chat
  return together === null
    ? completeChat(deps.chat, paidTask(deps, routed, caller, call))
    : completeChats(deps.chat, paidTask(deps, routed, caller, together.calls))
}

/** Several chats have one stream: their answers come in it once all of them are there and are charged. */
async function streamTogether(
  deps: FormRoutesDeps,
  call: RouteCall,
  admitted: AdmittedTranslation,
  reader: StreamReader,
): Promise<StreamEnd> {
  const { body, charged } = await completeAll(deps, call, admitted)
  reader.charged(charged.charge)
  reader.open().end(admitted.chat.together?.events(body) ?? '')
  return 'whole'
}

async function answerStream(deps: FormRoutesDeps, call: RouteCall, admitted: AdmittedTranslation) {
  const { caller, chat, run } = admitted
  const head = headOf(deps, call)
  const translator = chat.frames(head)
  const kept = new KeptStream((text) => keepAnswer(deps, admitted, head, text))
  const reader = kept.delayed(streamReader(deps, call))
  try {
    await storeStream(deps, reader, run, (inner) =>
      asStream(deps, caller, () =>
        (chat.together ?? null) === null
          ? streamChat(
              deps.chat,
              paidTask(deps, call, caller, chat.call),
              translatedReader(kept.watched(inner), translator),
            )
          : streamTogether(deps, call, admitted, inner),
      ),
    )
  } catch (error) {
    // A stream that is open already cannot become another answer; only a broken connection can show the failure.
    if (call.reply.raw.headersSent) call.reply.raw.destroy()
    throw error
  }
}

function headOf(deps: FormRoutesDeps, { request }: RouteCall): AnswerHead {
  return { requestId: request.id, now: deps.clock.now(), clock: deps.clock, seed: randomUUID().replaceAll('-', '') }
}

async function answerWhole(deps: FormRoutesDeps, call: RouteCall, admitted: AdmittedTranslation) {
  const { chat, run } = admitted
  const { reply } = call
  const head = headOf(deps, call)
  let keeping = Promise.resolve()
  const json = await storeResponse(deps, run, async () => {
    const completed = await completeAll(deps, call, admitted)
    const headers = setChargeHeaders(call, completed.charged)
    const body = chat.whole(completed.body, head)
    keeping = waitAMoment(keepAnswer(deps, admitted, head, body))
    return { contentType: JSON_TYPE, headers, body }
  })
  await keeping
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
    const isStream = chat.together?.isStream ?? chat.call.request.stream === true
    return await (isStream ? answerStream : answerWhole)(deps, call, admitted)
  } catch (error) {
    throw renameParam(error, chat.fields)
  }
}
