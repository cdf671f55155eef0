import type { z } from 'zod'
import type { ErrorCode } from './error-codes.ts'

/** What is wrong with a request, in the terms of an error body. */
export interface RequestProblem {
  readonly code: ErrorCode
  /** Path of the field as `messages.3.role`; null when the body as a whole is at fault. */
  readonly param: string | null
  readonly message: string
}

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/**
 * Says in one sentence what a schema found wrong with a request: the first fault, in the order of the fields.
 *
 * @param input what was parsed; tells a missing field from one of a wrong type.
 */
export function requestProblem(error: z.ZodError, input: unknown): RequestProblem {
  const first = error.issues[0]
  if (first === undefined) return { code: 'invalid_value', param: null, message: 'The request is not valid.' }
  const { issue, path } = innermost(first, [])
  if (path.length === 0) return { code: 'invalid_value', param: null, message: `${sentence(issue)}` }
  const param = path.map(String).join('.')
  if (valueAt(input, path) === undefined && issue.code !== 'custom') {
    return { code: 'missing_required_parameter', param, message: `Missing required parameter: '${param}'.` }
  }
  if (param === 'messages' && issue.code === 'too_small') {
    return { code: 'empty_content', param, message: 'The request has no messages.' }
  }
  return { code: 'invalid_value', param, message: `Invalid value for '${param}': ${sentence(issue)}` }
}

/**
 * The fault inside a union that lies deepest: the member that the caller meant is the one that went furthest, or the one
 * of the same type, whose rule the value breaks.
 */
function innermost(issue: Issue, parent: Path): { issue: Issue; path: Path } {
  const path = [...parent, ...issue.path]
  if (issue.code !== 'invalid_union') return { issue, path }
  const inners = issue.errors.flat()
  const deeper = inners.find((inner) => inner.path.length > 0) ?? inners.find(({ code }) => code !== 'invalid_type')
  return deeper === undefined ? { issue, path } : innermost(deeper, path)
}

function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  )
}

/** A value as a client writes it: a number has no quotes. */
function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

function sentence(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected}.`
    case 'invalid_value':
      return `expected one of ${issue.values.map(literal).join(', ')}.`
    case 'too_small':
      return `expected at least ${issue.minimum}${unitOf(issue.origin)}.`
    case 'too_big':
      return `expected at most ${issue.maximum}${unitOf(issue.origin)}.`
    case 'invalid_format':
      // The library's own words for a pattern are the pattern.
      return issue.message.includes(issue.pattern ?? '\0') ? 'expected another form.' : issue.message
    case 'invalid_union':
      return `expected ${unionOf(issue)}.`
    default:
      return issue.message
  }
}

function unitOf(origin: string): string {
  if (origin === 'string') return ' characters'
  return origin === 'array' ? ' items' : ''
}

function unionOf(issue: z.core.$ZodIssueInvalidUnion): string {
  const names = issue.errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [first.expected] : []))
  return names.length === 0 ? 'another value' : names.join(' or ')
}
