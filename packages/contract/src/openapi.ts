/**
 * The OpenAPI document, made from the rows of `endpoints.ts` and the schemas that the server itself uses.
 */
import { z } from 'zod'
import { MARGIN_BPS, MARGIN_TEXT } from './credits.ts'
import { type Endpoint, endpointTags, errorCodesOf } from './endpoints/endpoint.ts'
import { endpointList } from './endpoints.ts'
import { errorBody } from './error-body.ts'
import { errorCodes, type ErrorCode } from './error-codes.ts'
import { type EndpointExamples } from './examples/example.ts'
import { examples, shortageExample } from './examples.ts'
import {
  errorHeaders,
  type HeaderDescription,
  idempotencyHeader,
  replyHeaders,
  termHeaders,
} from './openapi-headers.ts'

/** Version of the API description. Source: spec 9. */
export const API_VERSION = '1.1.0'

/** Where a gateway for local development answers. Source: spec 1. */
export const DEVELOPMENT_BASE_URL = 'http://localhost:8787/api'

type Json = Readonly<Record<string, unknown>>

interface Server {
  readonly url: string
  readonly description: string
}

/** An OpenAPI 3.1.0 document. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: Json
  readonly servers: readonly Server[]
  readonly tags: readonly Json[]
  readonly security: readonly Json[]
  readonly paths: Readonly<Record<string, Json>>
  readonly components: Json
}

/**
 * Makes the OpenAPI document.
 *
 * @param publicBaseUrl where clients reach this gateway, ending in `/api`.
 */
export function createOpenApiDocument(publicBaseUrl: string): OpenApiDocument {
  const steps = openApiSteps(publicBaseUrl)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** The same in steps of an endpoint: all of them take half a second, which a server has for no one request. */
export function* openApiSteps(publicBaseUrl: string): Generator<void, OpenApiDocument, undefined> {
  const schemas = new SchemaCollection()
  const servers = serversOf(publicBaseUrl)
  const paths: Record<string, Record<string, Json | readonly Server[]>> = {}
  for (const endpoint of endpointList) {
    const path = (paths[pathOf(endpoint)] ??= endpoint.standsAtOrigin === true ? { servers: originsOf(servers) } : {})
    path[endpoint.method.toLowerCase()] = renderOperation(endpoint, examples[endpoint.id], schemas)
    yield
  }
  schemas.render(errorBody, 'output')
  return {
    openapi: '3.1.0',
    info: {
      title: 'SVC inference gateway',
      version: API_VERSION,
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers,
    tags: Object.entries(endpointTags)
      .filter(([tag]) => endpointList.some((endpoint) => endpoint.tag === tag))
      .map(([name, description]) => ({ name, description })),
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer sk-svc-…`.' },
      },
      headers: { ...replyHeaders, ...errorHeaders },
      schemas: schemas.all,
    },
  }
}

/** An endpoint's path in the document. Source: spec 4, which writes two of them with an `/api` of their own. */
export function pathOf(endpoint: Endpoint): string {
  return endpoint.standsAtOrigin === true ? `/api${endpoint.path}` : endpoint.path
}

function serversOf(publicBaseUrl: string): readonly Server[] {
  const development = { url: DEVELOPMENT_BASE_URL, description: 'A gateway on this machine.' }
  const published = { url: publicBaseUrl, description: 'This gateway.' }
  return publicBaseUrl === DEVELOPMENT_BASE_URL ? [published] : [published, development]
}

/** The same servers without their `/api`, for paths that bring it along. */
function originsOf(servers: readonly Server[]): readonly Server[] {
  return servers.map(({ url, description }) => ({ url: url.replace(/\/api$/, ''), description }))
}

const INTRODUCTION = [
  'One OpenAI-compatible API and one key, paid from prepaid credits.',
  '1 USD is 1,000 credits; every request is priced at the cost of',
  `the upstream plus ${MARGIN_TEXT} (\`margin_bps\` ${MARGIN_BPS}).`,
  '',
  'Amounts of credits are JSON numbers with at most nine decimals and are exact as written:',
  'read them as decimals, not as binary floating point, where every digit counts.',
  'In optional request fields `null` is the same as absence. Answers may gain fields.',
  '',
  'Every answer has the header `x-request-id`; `GET /v1/usage/{request_id}` tells what became of that request.',
].join('\n')

/** JSON schemas as they are needed; those with an id go to `components.schemas`. */
class SchemaCollection {
  readonly all: Record<string, unknown> = {}
  readonly #rendered = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() }

  /** One schema may stand in every answer of every endpoint. */
  render(schema: z.ZodType, io: 'input' | 'output'): Json {
    const known = this.#rendered[io].get(schema)
    if (known !== undefined) return known
    const rendered = this.#make(schema, io)
    this.#rendered[io].set(schema, rendered)
    return rendered
  }

  #make(schema: z.ZodType, io: 'input' | 'output'): Json {
    const { $schema: _dialect, $defs, ...rest } = z.toJSONSchema(schema, { io, override: tidySchema })
    for (const [id, definition] of Object.entries($defs ?? {})) this.all[id] = withComponentRefs(definition)
    return withComponentRefs(rest)
  }
}

function withComponentRefs<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as T
}

/** Leaves out what says nothing, and the promise that answers never gain fields. */
function tidySchema({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
  delete jsonSchema.additionalProperties
}

function renderOperation(endpoint: Endpoint, sample: EndpointExamples, schemas: SchemaCollection): Json {
  const { path, query } = endpoint.request
  const body = renderBody(endpoint, sample, schemas)
  const parameters = [
    ...(path === undefined ? [] : renderParameters(schemas.render(path, 'input'), 'path')),
    ...(query === undefined ? [] : renderParameters(schemas.render(query, 'input'), 'query')),
    ...(endpoint.isIdempotent === true ? renderHeaders(idempotencyHeader) : []),
    ...(endpoint.isPaid === true ? renderHeaders(termHeaders) : []),
  ]
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description,
    ...(endpoint.auth === 'key' ? {} : { security: [] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === null ? {} : { requestBody: { required: true, content: body } }),
    responses: { ...renderSuccess(endpoint, sample, schemas), ...renderFailures(endpoint, schemas) },
  }
}

function renderHeaders(headers: Readonly<Record<string, HeaderDescription>>): readonly Json[] {
  return Object.entries(headers).map(([name, { description, schema }]) => {
    return { name, in: 'header', required: false, description, schema }
  })
}

/** The bodies that an operation takes, by content type; null for none. */
function renderBody({ request }: Endpoint, sample: EndpointExamples, schemas: SchemaCollection): Json | null {
  const json = request.documentedBody ?? request.body
  if (json === undefined && request.form === undefined) return null
  return {
    ...(json === undefined
      ? {}
      : { 'application/json': { schema: schemas.render(json, 'input'), example: sample.body } }),
    ...(request.form === undefined ? {} : { 'multipart/form-data': { schema: schemas.render(request.form, 'input') } }),
  }
}

function renderParameters(schema: Json, place: 'path' | 'query'): Json[] {
  const required = schema['required']
  return Object.entries(Object(schema['properties'])).map(([name, value]) => {
    const { description, ...rest } = Object(value)
    return {
      name,
      in: place,
      required: place === 'path' || (Array.isArray(required) && required.includes(name)),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    }
  })
}

function renderSuccess(endpoint: Endpoint, sample: EndpointExamples, schemas: SchemaCollection): Json {
  const reply = renderReply(endpoint, sample, schemas)
  return endpoint.reply.accepted === true ? { 200: reply, 202: reply } : { 200: reply }
}

function renderReply(endpoint: Endpoint, sample: EndpointExamples, schemas: SchemaCollection): Json {
  const { description, json, event, bytes } = endpoint.reply
  const schema = { type: 'string', format: 'binary', description: bytes?.description }
  return {
    description,
    headers: headersOf(
      endpoint,
      ['x-request-id'],
      endpoint.isCharged === true ? CHARGE_HEADERS : [],
      endpoint.isEstimated === true ? ['x-svc-estimated'] : [],
    ),
    content: {
      ...(json === undefined
        ? {}
        : { 'application/json': { schema: schemas.render(json, 'output'), example: sample.reply } }),
      ...(event === undefined ? {} : { 'text/event-stream': renderEvents(endpoint.reply, sample, schemas) }),
      ...Object.fromEntries((bytes?.types ?? []).map((type) => [type, { schema }])),
    },
  }
}

const DATA_EVENTS =
  'Server-sent events. The data of each is one chunk as JSON, that of the last is `[DONE]`. Lines that begin ' +
  'with a colon are comments that keep the connection alive. A failure in mid-stream is an event with `error` ' +
  'alone, then `[DONE]`.'

const NAMED_EVENTS =
  'Server-sent events. Each has a name and JSON data, whose `type` is that name. Lines that begin with a colon are ' +
  'comments that keep the connection alive. A failure in mid-stream is an event `error`, the last one.'

/**
 * OpenAPI 3.1 has no words for events. Of the text the schema says what it is; a program that has made an object of each
 * event, with its name and its data, can check that.
 */
function renderEvents(reply: Endpoint['reply'], sample: EndpointExamples, schemas: SchemaCollection): Json {
  const isNamed = reply.namedEvents === true
  const events = sample.events ?? []
  const event = reply.event === undefined ? {} : schemas.render(reply.event, 'output')
  const data = { type: 'string', contentMediaType: 'application/json' }
  const failure = schemas.render(errorBody, 'output')
  const lines = isNamed
    ? events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}`)
    : [...events.map((event) => `data: ${JSON.stringify(event)}`), 'data: [DONE]']
  return {
    schema: {
      description: isNamed ? NAMED_EVENTS : DATA_EVENTS,
      contentMediaType: 'text/event-stream',
      'x-event-schema': event,
      required: ['data'],
      properties: {
        event: { type: 'string' },
        data: isNamed
          ? { ...data, contentSchema: event }
          : { anyOf: [{ const: '[DONE]' }, { ...data, contentSchema: { anyOf: [event, failure] } }] },
      },
    },
    example: lines.map((line) => `${line}\n\n`).join(''),
  }
}

const RATE_HEADERS = ['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests']
const CHARGE_HEADERS = ['x-svc-credits-charged', 'x-svc-charge-state', 'x-svc-margin-bps']

function headersOf(endpoint: Endpoint, ...names: readonly (readonly string[])[]): Json {
  const all = [...names.flat(), ...(endpoint.auth === 'key' ? RATE_HEADERS : [])]
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function renderFailures(endpoint: Endpoint, schemas: SchemaCollection): Json {
  const byStatus = Map.groupBy(errorCodesOf(endpoint), (code) => errorCodes[code].status)
  const statuses = [...byStatus.keys()].sort((left, right) => left - right)
  const failures = statuses.map((status) => [status, renderFailure(endpoint, byStatus.get(status) ?? [], schemas)])
  const { json, unavailable } = endpoint.reply
  if (unavailable === undefined || json === undefined) return Object.fromEntries(failures)
  const content = { 'application/json': { schema: schemas.render(json, 'output') } }
  return Object.fromEntries([...failures, [503, { description: unavailable, content }]])
}

function renderFailure(endpoint: Endpoint, codes: readonly ErrorCode[], schemas: SchemaCollection): Json {
  const [first] = codes
  const status = first === undefined ? 500 : errorCodes[first].status
  return {
    description: `\`error.code\` is ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: headersOf(endpoint, ['x-request-id'], HEADERS_BY_STATUS[status] ?? []),
    content: {
      'application/json': {
        schema: schemas.render(errorBody, 'output'),
        ...(status === 402 ? { example: shortageExample } : {}),
      },
    },
  }
}

const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['www-authenticate'],
  402: ['x-svc-credits-required', 'x-should-retry'],
  429: ['retry-after', 'retry-after-ms'],
  503: ['retry-after', 'retry-after-ms'],
}
