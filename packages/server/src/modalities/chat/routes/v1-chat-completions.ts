import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { IdempotentRun } from '../../../admission/idempotency/idempotency.ts'
import { chooseModel } from '../choose-model.ts'
import { completeChat } from '../complete-chat.ts'
import { type ChatCall, parseChat } from '../parse-chat.ts'
import { streamChat } from '../stream-chat.ts'
import type { Caller } from '../../../access/keys/caller.ts'
import { beginIdempotent, storeStream, storeResponse } from '../../../edge/idempotent-response.ts'
import type { ChatRoutesDeps } from '../chat-routes-deps.ts'
import { speaksOpenRouter } from '../../../edge/client-form.ts'
import { paidTask, quotedModel } from '../../../edge/paid-task.ts'
import { openRouterCompletion, openRouterReader } from '../../../edge/openrouter-form.ts'
import { readJsonBody } from '../../../edge/read-json-body.ts'
import { admitCaller, type RouteCall } from '../../../edge/route.ts'
import { JSON_TYPE, sendJsonText } from '../../../edge/send-json-text.ts'
import { streamReader } from '../../../edge/stream-reader.ts'
import { asStream } from '../../../edge/stream-slot.ts'
import { setChargeHeaders } from '../../../edge/set-charge-headers.ts'

/** A chat that is about to be answered. `run` is null without an Idempotency-Key. */
interface AdmittedChat {
  readonly caller: Caller
  readonly chat: ChatCall
  readonly run: IdempotentRun | null
}

async function answerStream(deps: ChatRoutesDeps, call: RouteCall, { caller, chat, run }: AdmittedChat): Promise<void> {
  const { request } = call
  const plain = streamReader(deps, call)
  const head = { requestId: request.id, model: chat.request.model, now: deps.clock.now() }
  try {
    await storeStream(deps, speaksOpenRouter(request) ? openRouterReader(plain, head) : plain, run, (reader) =>
      asStream(deps, caller, () => streamChat(deps.chat, paidTask(deps, call, caller, chat), reader)),
    )
  } catch (error) {
    // A stream that is open already cannot become another answer; only a broken connection can show the failure.
    if (call.reply.raw.headersSent) call.reply.raw.destroy()
    throw error
  }
}

async function answerWhole(deps: ChatRoutesDeps, call: RouteCall, { caller, chat, run }: AdmittedChat): Promise<void> {
  const { request } = call
  const json = await storeResponse(deps, run, async () => {
    const completed = await completeChat(deps.chat, paidTask(deps, call, caller, chat))
    const headers = setChargeHeaders(call, completed.charged)
    const body = speaksOpenRouter(request) ? openRouterCompletion(completed.body) : completed.body
    return { contentType: JSON_TYPE, headers, body }
  })
  sendJsonText(call, json)
}

/** POST /v1/chat/completions. The key is checked before the body is read. Source: spec 2.2, 2.8, 4. */
export function v1ChatCompletions(app: FastifyInstance, deps: ChatRoutesDeps): void {
  const endpoint = endpoints.createChatCompletion
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    const admitted = await admitCaller(deps, call, endpoint, 'cached')
    const { caller, body, release } = await readJsonBody(deps, call, {
      ...{ caller: admitted, endpoint },
      type: 'chat',
      bytesMax: deps.limits.configured.chatBodyBytes,
    })
    try {
      const chat = chooseModel(deps.chat, caller, parseChat(body), () => quotedModel(deps, call, caller))
      request.facts.model = chat.request.model
      const once = await beginIdempotent(deps, call, { caller, endpoint, body })
      if (once.kind === 'replay') return once.body
      const { run } = once
      return await (chat.request.stream === true ? answerStream : answerWhole)(deps, call, { caller, chat, run })
    } finally {
      release()
    }
  })
}
