/** What every answer must be, whatever was asked. */
import type { Operation } from './fuzz-target.ts'
import type { RawAnswer } from './raw-answers.ts'

/** Codes of failures that are the upstream's, or the chain's. Source: decision 0018 (upstream adapters). */
const UPSTREAM_CODES = new Set([
  'upstream_error',
  'upstream_empty',
  'upstream_unavailable',
  'upstream_timeout',
  'server_is_overloaded',
  'chain_unavailable',
])

/** What the hostile upstream writes into its errors. */
const UPSTREAM_SECRET = 'sk-or-v1-upstream-secret'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/

function parse(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The code of an error; where OpenRouter's programs ask it is a number there, and ours is among the metadata. */
function codeOf({ code, metadata }: Readonly<Record<string, unknown>>): string | null {
  const own = typeof code === 'number' && isRecord(metadata) ? metadata['code'] : code
  return typeof own === 'string' ? own : null
}

/** @returns what is wrong with the shape of an error, or null. */
function checkErrorObject(error: unknown): string | null {
  if (!isRecord(error)) return 'an error without an error object'
  const { message, type, param } = error
  if (typeof message !== 'string' || message === '') return 'an error without a message'
  if (typeof type !== 'string' || codeOf(error) === null) return 'an error without type or code'
  return param === null || typeof param === 'string' ? null : 'an error whose param is no text'
}

/** The sign-in library's own shape; its failures are the gateway's. */
function isSignInRefusal(value: Readonly<Record<string, unknown>>, status: number): boolean {
  return status < 500 && !('error' in value) && typeof value['message'] === 'string' && value['message'] !== ''
}

function checkError({ caller }: Operation, { status, body, headers }: RawAnswer): string | null {
  if (!(headers['content-type'] ?? '').startsWith('application/json')) return 'an error that is no JSON'
  const parsed = parse(body.toString('utf8'))
  if (parsed === null || !isRecord(parsed.value)) return 'an error that is no JSON object'
  if (caller === 'visitor' && isSignInRefusal(parsed.value, status)) return null
  const problem = checkErrorObject(parsed.value['error'])
  if (problem !== null) return problem
  const code = codeOf(parsed.value['error'] as Readonly<Record<string, unknown>>) ?? ''
  return status >= 500 && !UPSTREAM_CODES.has(code) ? `a failure of the gateway itself: ${code}` : null
}

/** Last events of streams without `[DONE]`. */
const LAST_NAMES = new Set(['response.completed', 'response.incomplete', 'response.failed', 'message_stop', 'error'])

const NAME = /^event: ([\w.]+)\n/

/** The data of each event, and what is wrong with the end. Events with names carry them again as their `type`. */
function readEvents(events: readonly string[]): { readonly data: readonly string[]; readonly problem: string | null } {
  const data = events.map((event) => event.replace(NAME, ''))
  const last = events.at(-1) ?? ''
  if (last === 'data: [DONE]') return { data: data.slice(0, -1), problem: null }
  const name = NAME.exec(last)?.[1] ?? null
  if (name === null) return { data: data.slice(0, -1), problem: 'a stream that does not end with [DONE]' }
  return { data, problem: LAST_NAMES.has(name) ? null : `a stream that ends with ${name}` }
}

/** Whether an event reports a failure: an object `error`, in either way of writing events. */
function checkEvent(operation: Operation, value: Readonly<Record<string, unknown>>): string | null {
  if (value['type'] === 'error') return 'error' in value ? null : checkErrorObject({ ...value, type: 'error' })
  return 'error' in value ? checkErrorObject(value['error']) : operation.checkEvent(value)
}

function checkEvents(operation: Operation, text: string): string | null {
  const events = text.split('\n\n')
  if (events.pop() !== '') return 'a stream that ends within an event'
  const { data, problem: end } = readEvents(events.filter((event) => !event.startsWith(':')))
  if (end !== null) return end
  for (const event of data) {
    if (!event.startsWith('data: ') || /[\r\n]/.test(event)) return `no event: ${event.slice(0, 200)}`
    const parsed = parse(event.slice('data: '.length))
    if (parsed === null || !isRecord(parsed.value)) return `an event that is no JSON: ${event.slice(0, 200)}`
    const problem = checkEvent(operation, parsed.value)
    if (problem !== null) return `an event that ${problem}: ${event.slice(0, 300)}`
  }
  return null
}

function checkSuccess(operation: Operation, { headers, body }: RawAnswer): string | null {
  const type = (headers['content-type'] ?? '').split(';')[0] ?? ''
  if (type === 'text/event-stream') return checkEvents(operation, body.toString('utf8'))
  if (type !== 'application/json') return operation.answersType(type) ? null : `an answer of the type ${type}`
  const text = body.toString('utf8')
  const parsed = parse(text)
  if (parsed === null) return 'an answer that is no JSON'
  const problem = operation.checkReply(parsed.value)
  return problem === null ? null : `an answer that ${problem}: ${text.slice(0, 300)}`
}

/** What holds for every answer, of an endpoint or not. @returns null when nothing is wrong. */
export function checkEveryAnswer(answer: RawAnswer): string | null {
  const { status, headers } = answer
  if (!UUID.test(headers['x-request-id'] ?? '')) return `status ${status} without an x-request-id of ours`
  if (Object.keys(headers).some((name) => name.startsWith('x-injected'))) return 'a header that a client has injected'
  return answer.body.includes(UPSTREAM_SECRET) ? 'an answer that tells the key of the upstream' : null
}

function countOf(text: string, what: RegExp): number {
  return text.match(what)?.length ?? 0
}

/**
 * Checks an answer of an endpoint.
 * @returns what is wrong, or null.
 */
export function checkAnswer(operation: Operation, answer: RawAnswer, toHead: boolean): string | null {
  const general = checkEveryAnswer(answer)
  const cookies = answer.headers['set-cookie']
  if (cookies !== undefined) {
    if (operation.caller === 'key') return 'a cookie where none is due'
    if (countOf(cookies, /svc\.\w+=/g) !== countOf(cookies, /HttpOnly/g)) return `a cookie for scripts: ${cookies}`
  }
  // A HEAD is answered without the body that would say whose failure it is, and asks no upstream.
  if (toHead && answer.status === 500) return 'a failure of the gateway itself, to HEAD'
  if (general !== null || toHead || answer.status === 204 || answer.status === 304) return general
  // Health says by its status, with its ordinary body, that no upstream can be reached.
  if (operation.id === 'getHealth' && answer.status === 503) return null
  return answer.status >= 400 ? checkError(operation, answer) : checkSuccess(operation, answer)
}
