import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Endpoint, errorCodesOf } from './endpoints/endpoint.ts'
import { endpointList } from './endpoints.ts'
import { errorBody } from './error-body.ts'
import { errorCodes } from './error-codes.ts'
import { examples, shortageExample } from './examples.ts'
import { createOpenApiDocument, DEVELOPMENT_BASE_URL, openApiSteps, pathOf } from './openapi.ts'

const document = createOpenApiDocument('https://gateway.example/api')

interface Parameter {
  readonly in: string
  readonly name: string
  readonly schema: { readonly default?: unknown }
}

interface Answer {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

interface Operation {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<Record<number, Answer>>
}

function operationOf(endpoint: Endpoint): Operation {
  return document.paths[pathOf(endpoint)]?.[endpoint.method.toLowerCase()] as Operation
}

describe('the OpenAPI document', () => {
  test('has no pattern that holds only with flags, which a document cannot give', () => {
    const flagged: string[] = []
    const look = (value: unknown, path: string): void => {
      if (value instanceof RegExp && value.flags.replace('u', '') !== '') flagged.push(`${path}: ${value}`)
      if (!(value instanceof z.ZodType)) return
      const { def } = value as unknown as { def: Record<string, unknown> }
      for (const check of (def['checks'] ?? []) as { _zod: { def: { pattern?: RegExp } } }[])
        look(check._zod.def.pattern, path)
      for (const [name, inner] of Object.entries((def['shape'] ?? {}) as object)) look(inner, `${path}.${name}`)
      for (const inner of [def['innerType'], def['element'], def['in'], ...((def['options'] ?? []) as unknown[])])
        look(inner, path)
    }
    for (const { id, request } of endpointList) for (const part of Object.values(request)) look(part, id)
    expect(flagged).toEqual([])
  })

  test('declares 400 wherever a path or a query is read', () => {
    const silent = endpointList.filter(({ request }) => request.path !== undefined || request.query !== undefined)
    expect(silent.filter((endpoint) => !errorCodesOf(endpoint).includes('invalid_value'))).toEqual([])
  })

  test('is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const result = await validator.validate(JSON.parse(JSON.stringify(document)))
    expect(result.errors).toBeUndefined()
    expect(result.valid).toBe(true)
    expect(validator.version).toBe('3.1')
  })

  test('is made in steps of an endpoint, so that a server can do other work in between', () => {
    const steps = openApiSteps('https://gateway.example/api')
    let count = 0
    let step = steps.next()
    for (; step.done !== true; step = steps.next()) count++
    expect(count).toBe(endpointList.length)
    expect(step.value).toEqual(document)
  })

  test('has the version that the specification names, and both servers', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info['version']).toBe('1.1.0')
    expect(document.servers.map((server) => server.url)).toEqual(['https://gateway.example/api', DEVELOPMENT_BASE_URL])
  })

  test('names the development server once when it is this gateway', () => {
    expect(createOpenApiDocument(DEVELOPMENT_BASE_URL).servers).toHaveLength(1)
  })

  test('has one operation for each row and no other', () => {
    const operations = Object.values(document.paths).flatMap(({ servers: _servers, ...path }) => {
      return Object.values(path) as Operation[]
    })
    expect(operations.map((operation) => operation.operationId)).toEqual(endpointList.map((endpoint) => endpoint.id))
  })

  // Spec 4 lists these two with an `/api` prefix of their own.
  test('has the two paths below the origin, with servers of their own, and no other', () => {
    const origins = ['https://gateway.example', DEVELOPMENT_BASE_URL.replace(/\/api$/, '')]
    const withServers = Object.entries(document.paths).filter(([, path]) => 'servers' in path)
    expect(withServers.map(([path]) => path)).toEqual(['/api/notify/deposit', '/api/keys/mirror'])
    for (const [, { servers }] of withServers) {
      expect((servers as { url: string }[]).map(({ url }) => url)).toEqual(origins)
    }
    expect(Object.keys(document.paths).filter((path) => path.startsWith('/api/'))).toHaveLength(2)
  })

  test('every reference leads to a component', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
    expect(references.length).toBeGreaterThan(10)
    for (const [, kind = '', name = ''] of references) {
      expect(Object.keys(document.components[kind] as object), `${kind}/${name}`).toContain(name)
    }
    expect(JSON.stringify(document)).not.toContain('#/$defs')
  })

  // A program that checks streams by the document makes an object of each event, or takes the text as a whole.
  test('says of every stream what its text is and what each of its events has', () => {
    for (const endpoint of endpointList.filter(({ reply }) => reply.event !== undefined)) {
      const schema = operationOf(endpoint).responses[200]?.content?.['text/event-stream']?.schema
      expect([endpoint.id, schema]).toEqual([
        endpoint.id,
        expect.objectContaining({ contentMediaType: 'text/event-stream', required: ['data'] }),
      ])
      expect(schema).not.toHaveProperty('type')
      expect(JSON.stringify(schema)).toContain('"contentMediaType":"application/json","contentSchema":{')
    }
  })

  test('has patterns that programs in other languages can read', () => {
    const patterns = [...JSON.stringify(document).matchAll(/"pattern":"((?:[^"\\]|\\.)*)"/g)].map(([, each]) => each)
    expect(patterns.length).toBeGreaterThan(5)
    expect(patterns.filter((each) => /\\\\[pP]\{|\(\?</.test(each ?? ''))).toEqual([])
  })

  test('lists every code of an endpoint under its status', () => {
    for (const endpoint of endpointList) {
      for (const code of errorCodesOf(endpoint)) {
        if (endpoint.reply.unavailable !== undefined && errorCodes[code].status === 503) continue
        const response = operationOf(endpoint).responses[errorCodes[code].status]
        expect(response?.description, `${endpoint.id} ${code}`).toContain(`\`${code}\``)
      }
    }
  })

  test('asks for a key exactly where the row does', () => {
    for (const endpoint of endpointList) {
      expect(operationOf(endpoint).security, endpoint.id).toEqual(endpoint.auth === 'key' ? undefined : [])
    }
  })

  test('describes each path parameter of a path', () => {
    for (const endpoint of endpointList) {
      const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const described = (operationOf(endpoint).parameters ?? [])
        .filter((parameter) => parameter.in === 'path')
        .map((parameter) => parameter.name)
      expect(described, endpoint.id).toEqual(names)
    }
  })
})

describe('the examples', () => {
  test.each(endpointList)('of $id pass their own schemas', ({ id, request, reply }) => {
    const sample = examples[id]
    if (request.body !== undefined) expect(request.body.safeParse(sample.body).error).toBeUndefined()
    expect(reply.json === undefined).toBe(sample.reply === undefined)
    expect(reply.json?.safeParse(sample.reply).error).toBeUndefined()
    for (const event of sample.events ?? []) expect(reply.event?.safeParse(event).error).toBeUndefined()
  })

  test('the 402 passes the schema of an error, and its figures agree', () => {
    expect(errorBody.safeParse(shortageExample).error).toBeUndefined()
    const { credits_required, credits_available, credits_short } = shortageExample.error
    expect(credits_short).toBeCloseTo(credits_required - credits_available, 9)
  })

  test('the document has the default of each query parameter', () => {
    for (const endpoint of endpointList) {
      const queried = (operationOf(endpoint).parameters ?? []).filter((each) => each.in === 'query')
      const told = queried.flatMap(({ name, schema }) => (schema.default === undefined ? [] : [[name, schema.default]]))
      const taken: unknown = endpoint.request.query?.safeParse({}).data ?? {}
      expect(Object.fromEntries(told), endpoint.id).toEqual(taken)
    }
  })

  test('no schema is a kind that JSON Schema cannot say', () => {
    for (const { reply } of endpointList) expect(() => z.toJSONSchema(reply.json ?? z.object({}))).not.toThrow()
  })
})
