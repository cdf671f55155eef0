import { requestProblem, type RequestProblem } from '@svc/contract'
import type { z } from 'zod'
import { ServiceError } from './service-error.ts'

const UNREADABLE: RequestProblem = { code: 'invalid_value', param: null, message: 'The request is not valid.' }

/**
 * The value, its objects without a `length` that is none. The first fault stays where it was: no schema that looks at a
 * length takes an object.
 */
function withoutLengths(value: unknown): unknown {
  const isObject = (each: unknown): boolean => typeof each === 'object' && each !== null
  return JSON.parse(JSON.stringify(value, (key, each: unknown) => (key === 'length' && isObject(each) ? null : each)))
}

/**
 * Says what is wrong with a value, as `requestProblem` does, where the schema library cannot read it: it compares the
 * `length` also of what is neither text nor list, and `{"length": {"toString": 1}}` has none that can be compared.
 *
 * @throws when that was not the reason.
 */
function problemWithLengths(schema: z.ZodType, value: unknown): RequestProblem {
  const plain = withoutLengths(value)
  const parsed = schema.safeParse(plain)
  return parsed.success ? UNREADABLE : requestProblem(parsed.error, plain)
}

/** What a schema read, or what it found wrong. */
export type ReadBySchema<Output> =
  | { readonly success: true; readonly data: Output }
  | { readonly success: false; readonly problem: RequestProblem }

/** Reads what a client has sent by its schema. */
export function readBySchema<Schema extends z.ZodType>(schema: Schema, value: unknown): ReadBySchema<z.output<Schema>> {
  try {
    const parsed = schema.safeParse(value)
    return parsed.success ? parsed : { success: false, problem: requestProblem(parsed.error, value) }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return { success: false, problem: problemWithLengths(schema, value) }
  }
}

/** Reads a part of a request by its schema. @throws {ServiceError} 400 naming the field. */
export function parseBySchema<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const read = readBySchema(schema, value)
  if (read.success) return read.data
  const { code, message, param } = read.problem
  throw new ServiceError(code, message, { param })
}
