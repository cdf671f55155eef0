/**
 * The server of the sandbox, an upstream for trying things out. It speaks OpenRouter's dialect over HTTP on loopback, answers to the
 * shape of a request, and fails on demand. It knows no key of a user, no balance and no database, and is reached like
 * any other upstream.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { timingSafeEqual } from 'node:crypto'
import { answerChat, type ChatDeps } from './answer-chat.ts'
import { answerEmbeddings } from './answer-embeddings.ts'
import { answerModerations } from './answer-moderations.ts'
import { answerRerank } from './answer-rerank.ts'
import { createGenerationLog } from './generation-log.ts'
import { drawForChat } from './media/draw-for-chat.ts'
import { answerMedia } from './media/media-router.ts'
import type { MediaType } from './media/media-faults.ts'
import { openMedia, type OpenMedia } from './media/open-media.ts'
import { createModelList } from './model-list.ts'
import { readBody } from './read-body.ts'
import { SandboxError } from './sandbox-error.ts'
import { completeOptions, type SandboxOptions } from './sandbox-options.ts'
import { createSandboxTokens } from './sandbox-tokens.ts'
import { sendError, sendJson } from './send-reply.ts'

/** A sandbox that runs. */
export interface Sandbox {
  /** Base address, ending in `/v1`. */
  readonly url: string
  /** Kinds of media that it can make or read with the packages that are there. */
  readonly abilities: ReadonlySet<MediaType>
  /** Ends every connection and the worker that counts tokens. */
  close(): Promise<void>
}

interface ServerDeps extends ChatDeps {
  readonly media: OpenMedia
}

/** How long an idle connection is kept, so that a pool of connections never meets one that is just closing. */
const KEEP_ALIVE_MS = 120_000

/** Connections that may wait to be accepted: as many as a gateway opens at once. Source: listen(2), own choice. */
const LISTEN_BACKLOG = 4_096

/** Starts a sandbox on a free port of loopback. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const complete = completeOptions(options)
  const tokens = createSandboxTokens()
  const models = createModelList(complete.models, complete.costOf)
  const generations = createGenerationLog()
  const media = openMedia(complete, models, generations)
  const draw = (text: string): Promise<string | null> => drawForChat(media.deps, text)
  const deps: ServerDeps = { options: complete, models, generations, tokens, media, draw }
  const expected = Buffer.from(`Bearer ${complete.key}`)
  // Not imported, which would load all of Node's `fetch`. Source: decision 0147.
  const { createServer } = process.getBuiltinModule('node:http')
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 }, (request, response) => {
    void answer(deps, expected, request, response)
  })
  const port = await listen(server)
  return {
    url: `http://127.0.0.1:${port}/v1`,
    abilities: media.deps.abilities,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, tokens.close(), media.close()])
    },
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ port: 0, host: '127.0.0.1', backlog: LISTEN_BACKLOG }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

async function answer(
  deps: ServerDeps,
  expected: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // A client that goes is no failure; the reply learns of it by `close`.
  response.on('error', () => undefined)
  try {
    await route(deps, expected, request, response)
  } catch (error) {
    if (request.destroyed && !request.complete) return
    sendError(response, error instanceof SandboxError ? error : new SandboxError(500, 'server', 'The sandbox broke.'))
  }
}

async function route(
  deps: ServerDeps,
  expected: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = request.method === 'POST' ? await readBody(request) : null
  const given = Buffer.from(request.headers.authorization ?? '')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new SandboxError(401, 'authentication', 'No auth credentials found')
  }
  const { method, url = '/' } = request
  // Compared as it is: parsing the address is a measurable part of a short request.
  if (body !== null && url === '/v1/chat/completions') return answerChat(deps, body.toString('utf8'), response)
  if (body !== null && url === '/v1/embeddings') return answerEmbeddings(deps, body.toString('utf8'), response)
  if (body !== null && url === '/v1/rerank') return answerRerank(deps, body.toString('utf8'), response)
  if (body !== null && url === '/v1/moderations') return answerModerations(deps, body.toString('utf8'), response)
  const parsed = new URL(url, 'http://sandbox')
  const { pathname, searchParams } = parsed
  if (await answerMedia(deps.media.deps, deps.media.jobs, { request, body, url: parsed, response })) return undefined
  if (method === 'GET' && pathname === '/v1/models') return sendJson(response, 200, deps.models.render())
  if (method === 'GET' && pathname === '/v1/generation') {
    const id = searchParams.get('id') ?? ''
    const found = deps.generations.render(id, deps.options.clock.now())
    if (found === null) throw new SandboxError(404, 'not_found', `Generation ${id.slice(0, 100)} not found`)
    return sendJson(response, 200, found)
  }
  throw new SandboxError(404, 'not_found', 'Not Found')
}
