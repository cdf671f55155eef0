import { BATCH_LINES_MAX } from '@svc/contract'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { BatchProblem, LineEndpoint } from './batch.ts'
import { parseRequestLine } from './batch-request-line.ts'
import { type InputLine, type LineReader, LineTooLongError } from './input-file.ts'

/** Problems that are listed at most. Source: own choice. */
const PROBLEMS_MAX = 50

/** What the file of a batch has. */
export interface CheckedInput {
  /** Lines that are no blank ones. */
  readonly total: number
  /** What is wrong with it; empty where it is in order. */
  readonly problems: readonly BatchProblem[]
}

/** Reads the whole file once, before the first of its requests is made. */
export async function checkInput(reader: LineReader, endpoint: LineEndpoint): Promise<CheckedInput> {
  const problems: BatchProblem[] = []
  const lineOf = new Map<string, number>()
  let total = 0
  try {
    for (let next = await reader.next(); next !== null; next = await reader.next()) {
      total++
      if (total > BATCH_LINES_MAX) return { total, problems: [...problems, tooMany()] }
      const problem = checkLine(next, endpoint, lineOf)
      if (problem !== null) problems.push(problem)
      if (problems.length >= PROBLEMS_MAX) return { total, problems }
    }
  } catch (error) {
    if (!(error instanceof LineTooLongError)) throw error
    problems.push({ code: 'request_too_large', message: error.message, param: null, line: error.line + 1 })
  }
  return { total, problems: total === 0 && problems.length === 0 ? [empty()] : problems }
}

function checkLine(
  { line, bytes }: InputLine,
  endpoint: LineEndpoint,
  lineOf: Map<string, number>,
): BatchProblem | null {
  try {
    const { customId } = parseRequestLine(bytes, endpoint)
    const earlier = lineOf.get(customId)
    if (earlier === undefined) {
      lineOf.set(customId, line)
      return null
    }
    const message = `The custom_id of line ${line + 1} is that of line ${earlier + 1}.`
    return { code: 'duplicate_custom_id', message, param: 'custom_id', line: line + 1 }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { code: codeOf(error), message: error.message, param: error.param, line: line + 1 }
  }
}

/** The names that OpenAI has for what is wrong with a line; ours for the rest. Source: OpenAI, the batch guide. */
function codeOf({ code, param }: ServiceError): string {
  if (code === 'invalid_json') return 'invalid_json_line'
  return code === 'invalid_value' && param === 'url' ? 'url_mismatch' : code
}

function tooMany(): BatchProblem {
  const message = `The file has more than ${BATCH_LINES_MAX} requests: make several batches of it.`
  return { code: 'too_many_tasks', message, param: null, line: null }
}

function empty(): BatchProblem {
  return { code: 'empty_file', message: 'The file has no requests.', param: null, line: null }
}
