import { endpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { completeChat } from '../../inference/complete-chat.ts'
import { type ChatCall, parseChat } from '../../inference/parse-chat.ts'
import { streamChat } from '../../inference/stream-chat.ts'
import type { Caller } from '../../keys/caller.ts'
import type { EdgeDeps } from '../edge.ts'
import { readJsonBody } from '../read-json-body.ts'
import { admitCaller, type RouteCall } from '../route.ts'
import { READER_STALL_MS } from '../sse-writer.ts'
import { streamReader } from '../stream-reader.ts'
import { tellCharge } from '../tell-charge.ts'

async function answerStream(deps: EdgeDeps, call: RouteCall, caller: Caller, chat: ChatCall): Promise<void> {
  const giveBack = deps.limits.streams.take(caller.keyId)
  try {
    await streamChat(deps.chat, { caller, call: chat, requestId: call.request.id }, streamReader(deps, call))
  } catch (error) {
    // A stream that is open already cannot become another answer; a broken connection is what is left to tell.
    if (call.reply.raw.headersSent) call.reply.raw.destroy()
    throw error
  } finally {
    giveBack()
  }
}

async function answerWhole(deps: EdgeDeps, { request, reply }: RouteCall, caller: Caller, chat: ChatCall) {
  const { json, charge } = await completeChat(deps.chat, { caller, call: chat, requestId: request.id })
  // The answer is kept until it is taken. The time begins anew whenever the reader takes some of it.
  reply.raw.setTimeout(READER_STALL_MS, () => reply.raw.destroy())
  tellCharge({ request, reply }, charge)
  reply.header('content-type', 'application/json; charset=utf-8')
  return json
}

/** POST /v1/chat/completions. The key is checked before the body is read. Source: spec 2.2, 2.8, 4. */
export function v1ChatCompletions(app: FastifyInstance, deps: EdgeDeps): void {
  const endpoint = endpoints.createChatCompletion
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    const caller = await admitCaller(deps, call, endpoint, 'cached')
    const { body, release } = await readJsonBody(deps, call, {
      caller,
      type: 'chat',
      bytesMax: deps.limits.chatBodyBytes,
    })
    try {
      const chat = parseChat(body)
      request.facts.model = chat.request.model
      return await (chat.request.stream === true ? answerStream : answerWhole)(deps, call, caller, chat)
    } finally {
      release()
    }
  })
}
