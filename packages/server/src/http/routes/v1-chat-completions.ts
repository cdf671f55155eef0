import { endpoints, formatCredits, MARGIN_BPS } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { requireCredits } from '../../billing/require-credits.ts'
import { ServiceError } from '../../errors/service-error.ts'
import { completeChat } from '../../inference/complete-chat.ts'
import type { StreamReader } from '../../inference/frame-writer.ts'
import { type ChatCall, parseChat } from '../../inference/parse-chat.ts'
import { streamChat } from '../../inference/stream-chat.ts'
import type { Caller } from '../../keys/caller.ts'
import type { EdgeDeps } from '../edge.ts'
import { readBody } from '../read-body.ts'
import { admitCaller, type RouteCall } from '../route.ts'
import { openSseWriter, READER_STALL_MS } from '../sse-writer.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i

/** An absent content type is taken for JSON; another one is a mistake that would go on unseen. */
function checkContentType({ request }: RouteCall): void {
  const type = request.headers['content-type']
  if (type === undefined || JSON_TYPE.test(type)) return
  throw new ServiceError('unsupported_media_type', 'The content type must be application/json.')
}

/**
 * Bodies up to this size are read before the balance is known: reading them costs less than asking. Source: decision
 * 0006.
 */
const SMALL_BODY_BYTES = 64 * 1024

/** Asks for the balance before a large body, or one of unknown size, is taken into memory. */
async function admitBody(deps: EdgeDeps, { request }: RouteCall, caller: Caller): Promise<void> {
  const declared = Number(request.headers['content-length'] ?? Number.NaN)
  if (declared <= SMALL_BODY_BYTES) return
  await requireCredits({ balance: deps.balance.store, topupUrl: deps.chat.topupUrl }, caller)
}

/**
 * The caller's side of a stream. Their going away is seen on the response: the request's own `close` comes with its
 * body.
 */
function streamReader({ limits }: EdgeDeps, { request, reply }: RouteCall): StreamReader {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Error('The caller has gone'))
  })
  return {
    gone: gone.signal,
    open: () => {
      reply.hijack()
      const headers = { ...(reply.getHeaders() as Record<string, string>), 'x-request-id': request.id }
      return openSseWriter(reply.raw, { headers, keepAliveMs: limits.keepAliveMs })
    },
  }
}

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
  const credits = formatCredits(charge)
  request.facts.creditsCharged = credits
  reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'x-svc-credits-charged': credits,
    'x-svc-margin-bps': String(MARGIN_BPS),
  })
  return json
}

/** POST /v1/chat/completions. The key is checked before the body is read. Source: spec 2.2, 2.8, 4. */
export function v1ChatCompletions(app: FastifyInstance, deps: EdgeDeps): void {
  const endpoint = endpoints.createChatCompletion
  app.post(endpoint.path, async (request, reply) => {
    const call = { request, reply }
    const caller = await admitCaller(deps, call, endpoint, 'cached')
    checkContentType(call)
    await admitBody(deps, call, caller)
    const { bodies, chatBodyBytes } = deps.limits
    const { body, release } = await readBody(request.raw, { bytesMax: chatBodyBytes, budget: bodies })
    try {
      const chat = parseChat(body)
      request.facts.model = chat.request.model
      return await (chat.request.stream === true ? answerStream : answerWhole)(deps, call, caller, chat)
    } finally {
      release()
    }
  })
}
