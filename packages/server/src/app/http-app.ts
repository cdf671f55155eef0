/** The HTTP server: the order in which a request meets its checks, and one table of routes. */
import cors from '@fastify/cors'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { InvariantError } from '../platform/errors/invariant-error.ts'
import { createId } from '../platform/runtime/ids.ts'
import { type AccessLogDeps, beginAccessLog } from '../edge/access-log.ts'
import { callerAddress, trustProxies } from '../edge/caller-address.ts'
import { speaksAnthropic, speaksOpenRouter } from '../edge/client-form.ts'
import { writeClientError } from '../edge/client-error.ts'
import { mountConsoleRoutes } from '../console/console-routes.ts'
import { describeSignIn } from '../console/sessions.ts'
import { isLocalCaller } from '../edge/local-caller.ts'
import type { EdgeDeps } from './routes.ts'
import { expectsMessageError, sendMessageError } from '../forms/message-form.ts'
import { LastExchanges } from '../edge/last-exchanges.ts'
import { mountPages } from '../edge/pages.ts'
import { overloadProblem } from '../edge/overload-problem.ts'
import { openRouterError } from '../edge/openrouter-form.ts'
import { protocolProblem } from '../edge/protocol-problem.ts'
import { renderError } from '../edge/render-error.ts'
import { routes } from './routes.ts'
import { traceRequest } from '../edge/trace-request.ts'
import { methodProblem, mountUntakenMethods, refuseUnknown } from '../edge/unknown-address.ts'

/** What the socket layer needs to know. */
export interface ServerOptions {
  /** Addresses whose `x-forwarded-for` is believed. */
  readonly trustedProxies: readonly string[]
  readonly headerBytes: number
  /** How long a client may take for its headers, and for the whole of its request: a slow sender ends there. */
  readonly headersMs: number
  readonly requestMs: number
}

/** How often connections are looked at for slow senders at least, in milliseconds. Source: own choice. */
const CHECK_EVERY_MS = 5_000
/** Longer than the idle time of common load balancers, so that they and not we close first. Source: own choice. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000
/** Longest path or model id in a path. */
const PARAM_LENGTH_MAX = 512

/** Request headers that browsers may send, whatever a preflight asks for: it is kept for a while. */
const usualHeaders =
  'authorization, content-type, idempotency-key, x-api-key, x-svc-max-credits, x-svc-quote, traceparent, tracestate, range'

// Joined once: the plug-in would do so for each answer.
const exposedHeaders = [
  'x-request-id',
  'request-id',
  'idempotent-replayed',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-svc-charge-state',
  'x-svc-credits-charged',
  'x-svc-credits-required',
  'x-svc-estimated',
  'x-svc-margin-bps',
  'accept-ranges',
  'content-disposition',
  'content-range',
  'etag',
  'openai-poll-after-ms',
].join(', ')

/** For a year, and for this host alone: its subdomains are not ours to decide. Source: RFC 6797. */
const TRANSPORT_SECURITY = 'max-age=31536000'

function beginRequest(
  deps: AccessLogDeps & { readonly isSecure: boolean },
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  beginAccessLog(deps, request, reply)
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
  // Anthropic's clients read the id under its API's own name alone.
  if (speaksAnthropic(request)) reply.header('request-id', request.id)
  if (deps.isSecure) reply.header('strict-transport-security', TRANSPORT_SECURITY)
}

function sendError(request: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
  if (expectsMessageError(request)) return sendMessageError(thrown, request, reply)
  const rendered = renderError(thrown)
  request.facts.error = rendered.error
  void reply
    .code(rendered.status)
    .headers(rendered.headers)
    .type('application/json; charset=utf-8')
    .send(speaksOpenRouter(request) ? { error: openRouterError(rendered.body) } : rendered.body)
}

/** No route has a schema of the framework's own: its compilers are not even loaded. */
function withoutSchemas(): never {
  throw new InvariantError('A route has a schema of the framework.')
}

/** Builds the server. It does not listen yet. */
export function createApp(deps: EdgeDeps, options: ServerOptions): FastifyInstance {
  const createRequestId = (): string => createId(deps.clock.now())
  // The port may be known later than this; the scheme is that of the configuration.
  const arrival = { log: deps.log, metrics: deps.metrics, isSecure: deps.publicBaseUrl().startsWith('https:') }
  const exchanges = new LastExchanges()
  const app = Fastify({
    genReqId: createRequestId,
    requestIdHeader: false,
    trustProxy: options.trustedProxies.length === 0 ? false : trustProxies(options.trustedProxies),
    schemaController: { compilersFactory: { buildValidator: withoutSchemas, buildSerializer: withoutSchemas } },
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: PARAM_LENGTH_MAX },
    http: {
      maxHeaderSize: options.headerBytes,
      headersTimeout: options.headersMs,
      connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, Math.ceil(options.headersMs / 4)),
      requireHostHeader: false,
    },
    requestTimeout: options.requestMs,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    clientErrorHandler: (error, socket) => {
      if (error.code !== 'ECONNRESET' && !exchanges.admitsRefusal(socket)) return
      writeClientError({ ...deps, createRequestId }, error, socket)
    },
    frameworkErrors: (error, request, reply) => {
      beginRequest(arrival, request, reply)
      sendError(request, reply, error)
    },
    return503OnClosing: false,
  })
  app.server.on('request', (request, response) => exchanges.note(request, response))
  // An unknown expectation is no reason to refuse. Source: RFC 9110, section 10.1.1.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  // Bodies are read by their routes, after the key was checked.
  app.removeAllContentTypeParsers()
  // By name, too: the framework finds the one for any other type anew for each request.
  for (const type of ['application/json', '*']) app.addContentTypeParser(type, (_request, _payload, done) => done(null))
  app.decorateRequest('facts', null as never)
  app.addHook('onRequest', (request, reply, done) => {
    beginRequest(arrival, request, reply)
    if (deps.tracing === null) done()
    else traceRequest(deps.tracing, request, reply, done)
  })
  app.addHook('onRequest', (request, _reply, done) => done(protocolProblem(request.raw)))
  app.addHook('onRequest', (request, _reply, done) => done(methodProblem(deps, request)))
  app.addHook('onRequest', (request, _reply, done) => done(overloadProblem(deps, request)))
  app.setErrorHandler((error, request, reply) => sendError(request, reply, error))
  app.setNotFoundHandler((request) => refuseUnknown(deps, request))
  app.register(
    (api, _options, done) => {
      api.addHook('onRequest', async ({ method, ip, headers }) => {
        if (method !== 'OPTIONS') return
        deps.limits.preflights.take(callerAddress(ip))
        // The plug-in allows what is asked for.
        const asked = headers['access-control-request-headers']
        headers['access-control-request-headers'] = asked === undefined ? usualHeaders : `${asked}, ${usualHeaders}`
      })
      // Any origin may call with a key; cookies are never accepted here, so there is nothing to steal by it. For the
      // same reason any header may be sent: clients have ever new ones, and a page fails where one is not allowed.
      api.register(cors, {
        origin: '*',
        exposedHeaders,
        methods: ['GET', 'POST', 'DELETE'],
        maxAge: 7_200,
        // A client that asks for the options without being a browser gets the same answer, not an error without our
        // shape.
        strictPreflight: false,
      })
      for (const mount of routes) mount(api, deps)
      mountUntakenMethods(api, deps)
      // Here again, so that a browser may read what is said of an address below this one.
      api.setNotFoundHandler((request) => refuseUnknown(deps, request))
      done()
    },
    { prefix: '/api' },
  )
  app.register(
    (pages, _options, done) => {
      mountConsoleRoutes(pages, { edge: deps, console: deps.console })
      done()
    },
    { prefix: '/api' },
  )
  mountPages(app, {
    consoleFolder: deps.consoleFolder,
    describeSignIn: (request) => describeSignIn(deps.console, isLocalCaller(request)),
  })
  return app
}
