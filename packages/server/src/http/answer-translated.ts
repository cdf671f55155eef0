/** The edge's part of a chat in another form: as a chat is answered, but each answer and frame is written again. */
import type { IdempotentRun } from '../idempotency/idempotency.ts'
import { completeChat } from '../inference/complete-chat.ts'
import { streamChat } from '../inference/stream-chat.ts'
import { type AnswerHead, renameParam, type TranslatedChat, translatedReader } from '../inference/translated-chat.ts'
import type { Caller } from '../keys/caller.ts'
import { keepStream, keepWhole } from './answer-once.ts'
import type { EdgeDeps } from './edge.ts'
import type { RouteCall } from './route.ts'
import { streamReader } from './stream-reader.ts'
import { tellCharge } from './tell-charge.ts'

/** A translated chat that is about to be answered. `run` is null without an Idempotency-Key. */
export interface AdmittedTranslation {
  readonly caller: Caller
  readonly chat: TranslatedChat
  readonly run: IdempotentRun | null
}

const JSON_TYPE = 'application/json; charset=utf-8'

async function answerStream(deps: EdgeDeps, call: RouteCall, { caller, chat, run }: AdmittedTranslation) {
  const giveBack = deps.limits.streams.take(caller.keyId)
  const task = { caller, call: chat.call, requestId: call.request.id }
  const translator = chat.frames(headOf(deps, call))
  try {
    await keepStream(deps, streamReader(deps, call), run, (reader) =>
      streamChat(deps.chat, task, translatedReader(reader, translator)),
    )
  } catch (error) {
    // A stream that is open already cannot become another answer; a broken connection is what is left to tell.
    if (call.reply.raw.headersSent) call.reply.raw.destroy()
    throw error
  } finally {
    giveBack()
  }
}

function headOf(deps: EdgeDeps, { request }: RouteCall): AnswerHead {
  return { requestId: request.id, now: deps.clock.now() }
}

async function answerWhole(deps: EdgeDeps, call: RouteCall, { caller, chat, run }: AdmittedTranslation) {
  const { request, reply } = call
  const head = headOf(deps, call)
  const json = await keepWhole(deps, run, async () => {
    const completed = await completeChat(deps.chat, { caller, call: chat.call, requestId: request.id })
    const headers = tellCharge(call, completed.charge)
    return { contentType: JSON_TYPE, headers, body: chat.whole(completed.json, head) }
  })
  return reply.type(JSON_TYPE).send(json)
}

/** Answers a translated chat, whole or as a stream. @throws {ServiceError} as a chat does, in the names of its form. */
export async function answerTranslated(
  deps: EdgeDeps,
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
