/** The operations of the OpenAPI document, as the reference shows them. Pure. */
import {
  createOpenApiDocument,
  DEVELOPMENT_BASE_URL,
  endpointList,
  endpointTags,
  errorCodesOf,
  type Endpoint,
  type ErrorCode,
  pathOf,
} from '@svc/contract'
import type { Schema } from './schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

export interface Content {
  /** Such as `application/json`. */
  readonly type: string
  readonly schema: Schema
  readonly example: unknown
}

interface Header {
  readonly name: string
  readonly description: string
}

export interface Reply {
  readonly description: string
  readonly headers: readonly Header[]
  readonly contents: readonly Content[]
}

export interface Operation {
  readonly id: string
  readonly method: string
  /** Below the origin, such as `/api/v1/models/{id}`. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** `signed` has a signature in its query in place of a key. */
  readonly auth: Endpoint['auth']
  readonly isCharged: boolean
  readonly parameters: readonly Parameter[]
  readonly bodies: readonly Content[]
  readonly reply: Reply
  readonly errors: readonly ErrorCode[]
}

export interface Api {
  /** In the order of the document. */
  readonly tags: readonly {
    readonly name: string
    readonly description: string
    readonly operations: readonly Operation[]
  }[]
  readonly operations: readonly Operation[]
  /** Schemas by the names that references have. */
  readonly schemas: Readonly<Record<string, Schema>>
  readonly version: string
}

interface RawContent {
  readonly schema: Schema
  readonly example?: unknown
}

interface RawOperation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, RawContent>> }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string
        readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
        readonly content?: Readonly<Record<string, RawContent>>
      }
    >
  >
}

const contentsOf = (content: Readonly<Record<string, RawContent>> = {}): readonly Content[] =>
  Object.entries(content).map(([type, { schema, example }]) => ({ type, schema, example }))

/** The document as the gateway makes it: nothing here is written twice. */
export function readApi(): Api {
  const document = createOpenApiDocument(DEVELOPMENT_BASE_URL)
  const { schemas, headers } = document.components as {
    readonly schemas: Api['schemas']
    readonly headers: Readonly<Record<string, { readonly description: string }>>
  }
  const operations = endpointList.map((endpoint: Endpoint): Operation => {
    const path = pathOf(endpoint)
    const raw = document.paths[path]?.[endpoint.method.toLowerCase()] as RawOperation
    const { description = '', headers: named = {}, content } = raw.responses['200'] ?? {}
    return {
      id: endpoint.id,
      method: endpoint.method,
      path: endpoint.standsAtOrigin === true ? path : `/api${path}`,
      tag: endpoint.tag,
      summary: endpoint.summary,
      description: endpoint.description,
      auth: endpoint.auth,
      isCharged: endpoint.isCharged === true,
      parameters: raw.parameters ?? [],
      bodies: contentsOf(raw.requestBody?.content),
      reply: {
        description,
        headers: Object.keys(named).map((name) => ({ name, description: headers[name]?.description ?? '' })),
        contents: contentsOf(content),
      },
      errors: errorCodesOf(endpoint),
    }
  })
  const tags = Object.entries(endpointTags).map(([name, description]) => {
    return { name, description, operations: operations.filter(({ tag }) => tag === name) }
  })
  return { tags, operations, schemas, version: String(document.info['version']) }
}
