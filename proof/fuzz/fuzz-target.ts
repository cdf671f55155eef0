/** The endpoints of a running gateway, as its own OpenAPI document lists them, and what an answer of each may be. */
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { JsonSchema } from './schema-values.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required?: boolean
  readonly schema: JsonSchema
}

/** One operation of the document. */
export interface Operation {
  readonly id: string
  readonly method: string
  /** With names in braces, below `/api`. */
  readonly path: string
  readonly isPublic: boolean
  readonly parameters: readonly Parameter[]
  /** Schema of the JSON body; null when it takes none. */
  readonly body: JsonSchema | null
  /** Schema of the form; null when it takes none. */
  readonly form: JsonSchema | null
  readonly example: unknown
  /** Right bodies beside it, each as good as it is. */
  readonly examples?: readonly unknown[]
  /** Who calls it: a program with a key, a person in the console, or a person who is not signed in yet. */
  readonly caller: 'key' | 'session' | 'visitor'
  /** Whether it cannot be answered well without an upstream. */
  readonly asksUpstream: boolean
  /** Whether an answer can be a file as it comes from an upstream. */
  readonly sendsFiles: boolean
  /** Whether an answer can be a stream. */
  readonly canStream: boolean
  /** Whether an answer of this media type, without parameters, may come; JSON and events are checked for more. */
  readonly answersType: (type: string) => boolean
  /** @returns what is wrong with a JSON answer of status 200, or null. */
  readonly checkReply: (value: unknown) => string | null
  /** The same for one event of a stream. */
  readonly checkEvent: (value: unknown) => string | null
  /** Whether a status is in the document. */
  readonly documents: (status: number) => boolean
}

export interface FuzzTarget {
  readonly operations: readonly Operation[]
  readonly resolve: (reference: string) => JsonSchema
}

interface MediaType {
  readonly schema: JsonSchema & { readonly 'x-event-schema'?: JsonSchema }
  readonly example?: unknown
}

interface OperationObject {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, MediaType>> }>>
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** What an upstream left out of a tool call stays left out: it cannot be made up. */
function isLeftOut({ keyword, instancePath }: ErrorObject): boolean {
  return keyword === 'required' && instancePath.includes('/tool_calls/')
}

/** Whether an error only says that the list around it is none of the other things that it may be. */
function isAround({ instancePath }: ErrorObject, inner: readonly ErrorObject[]): boolean {
  return instancePath.endsWith('/tool_calls') && inner.some((each) => each.instancePath.startsWith(`${instancePath}/`))
}

export function checkWith(validate: ValidateFunction): (value: unknown) => string | null {
  return (value) => {
    if (validate(value)) return null
    const errors = validate.errors ?? []
    const leftOut = errors.filter(isLeftOut)
    const first = errors.find((error) => !isLeftOut(error) && !isAround(error, leftOut))
    if (first === undefined) return null
    return `${first.instancePath} ${first.message ?? ''}`
  }
}

/** The operations of a path. Beside them a path may have servers of its own. */
function operationsAt<Row>(methods: Readonly<Record<string, Row>>): [string, Row][] {
  return Object.entries(methods).filter(([name]) => name !== 'servers')
}

export function createAjv(): Ajv2020 {
  return new Ajv2020({ allErrors: true, strict: false, validateFormats: false })
}

/** Fetches the document and makes its checks. */
export async function readFuzzTarget(origin: string): Promise<FuzzTarget> {
  const response = await fetch(`${origin}/api/openapi`)
  const document = (await response.json()) as OpenApi
  const ajv = createAjv()
  ajv.addSchema({ $id: 'document', components: document.components })
  const compile = (schema: JsonSchema | undefined): ((value: unknown) => string | null) => {
    if (schema === undefined) return () => 'is not documented'
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
    return checkWith(ajv.compile(JSON.parse(text) as object))
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    operationsAt(methods).map(([method, operation]): Operation => {
      const bodies = operation.requestBody?.content ?? {}
      const asked = bodies['application/json']
      const answered = operation.responses['200']?.content
      return {
        ...{ id: operation.operationId, method: method.toUpperCase(), path },
        isPublic: operation.security?.length === 0,
        parameters: operation.parameters ?? [],
        body: asked?.schema ?? null,
        form: bodies['multipart/form-data']?.schema ?? null,
        example: asked?.example,
        caller: 'key',
        asksUpstream: method === 'post' && '502' in operation.responses,
        sendsFiles: Object.keys(answered ?? {}).some((type) => /^(?:audio|video)\//.test(type)),
        canStream: answered !== undefined && 'text/event-stream' in answered && asked !== undefined,
        answersType: (type) => answered !== undefined && type in answered,
        checkReply: compile(answered?.['application/json']?.schema),
        checkEvent: compile(answered?.['text/event-stream']?.schema['x-event-schema']),
        documents: (status) => String(status) in operation.responses,
      }
    }),
  )
  const resolve = (reference: string): JsonSchema =>
    document.components.schemas[reference.replace('#/components/schemas/', '')] ?? {}
  return { operations, resolve }
}
