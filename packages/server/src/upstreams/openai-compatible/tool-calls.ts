/**
 * Calls of tools as clients can read them, however an upstream writes them: arguments as text, an id, a type. Clients
 * throw at a call that lacks one of these, or read a call that is none.
 */
import { randomUUID } from 'node:crypto'
import { parseExactly } from '../../platform/json/exact-json.ts'
import { recordOf, recordsOf } from './json-records.ts'
import { isObject } from './usage.ts'

type Json = Record<string, unknown>

const NAMED_KEYS = ['name', 'arguments'] as const

/** An id for a call that has none. It is new each time, since one of an earlier turn is in the history. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`
}

/** What a call names and gives; undefined where it says neither. Some servers write it beside the id, and not within `function`. */
export function namedOf(call: Json): unknown {
  if (call['function'] !== undefined || typeof call['name'] !== 'string') return call['function']
  return { name: call['name'], arguments: call['arguments'] }
}

function withTexts(named: Json): Json {
  const isOdd = NAMED_KEYS.some((key) => named[key] !== undefined && typeof named[key] !== 'string')
  if (!isOdd) return named
  const { name, arguments: given, ...rest } = named
  const text = isObject(given) || Array.isArray(given) ? JSON.stringify(given) : given
  return {
    ...rest,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof text === 'string' ? { arguments: text } : {}),
  }
}

/** The id of a call as text; undefined for one that no client can send back. */
function idOf({ id }: Json): string | undefined {
  if (typeof id === 'number') return String(id)
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** Whether a call is as OpenAI writes it: most are, and stay as they are. */
function isPlain({ id, type, function: named }: Json): boolean {
  const isIdentified = id === undefined || (typeof id === 'string' && id !== '')
  const isTyped = type === undefined || typeof type === 'string'
  return isIdentified && isTyped && isObject(named) && NAMED_KEYS.every((key) => !isOdd(named[key]))
}

const isOdd = (value: unknown): boolean => value !== undefined && typeof value !== 'string'

/** One call, or a piece of one, without what no client can read in it. */
export function readCall(call: Json): Json {
  if (isPlain(call)) return call
  const { id: _id, type, function: _function, ...more } = call
  const named = namedOf(call)
  if (call['function'] === undefined && isObject(named)) for (const key of NAMED_KEYS) delete more[key]
  const id = idOf(call)
  return {
    ...more,
    ...(id === undefined ? {} : { id }),
    ...(typeof type === 'string' ? { type } : {}),
    ...(isObject(named) ? { function: withTexts(named) } : {}),
  }
}

/** What kind of tool is called, where the call itself does not say. */
export function typeOf({ type, custom }: Json): unknown {
  return type ?? (isObject(custom) ? 'custom' : 'function')
}

/** Whether a call, or a piece of one, says what is called. One that never does is none: no client can make it. */
export function isCall(call: Json): boolean {
  if (typeOf(call) !== 'function') return true
  const { name } = recordOf(namedOf(call))
  return typeof name === 'string' && name !== ''
}

/** Arguments of a call that gives none. Clients read them as JSON, of which an empty text is none. */
export const NO_ARGUMENTS = '{}'

/** A whole call with everything that a client needs of it. @param isCut whether its answer was, perhaps within it. */
export function wholeCall(call: Json, isCut: boolean): Json {
  const { id, type, function: named } = call
  const given = recordOf(named)['arguments']
  const isGiven = typeof given === 'string' && (given !== '' || isCut)
  if (typeof id === 'string' && type !== undefined && isObject(named) && isGiven) return call
  const isFunction = isObject(named) || typeOf(call) === 'function'
  return {
    ...call,
    id: id ?? newCallId(),
    type: typeOf(call),
    ...(isFunction ? { function: { ...recordOf(named), arguments: isGiven ? given : NO_ARGUMENTS } } : {}),
  }
}

/** What a choice says, in a chunk or whole. */
function speechOf(choice: Json): Json {
  return recordOf(choice['delta'] ?? choice['message'])
}

/** The calls in what a choice says. Some servers write the only one without a list around it. */
function callsIn({ tool_calls: calls }: Json): readonly Json[] {
  return isObject(calls) ? [calls] : recordsOf(calls)
}

/** Where arguments may stand in what a choice says. */
function namedIn(speech: Json): readonly Json[] {
  const calls = callsIn(speech).map((call) => recordOf(call['function'] ?? call))
  return isObject(speech['function_call']) ? [...calls, speech['function_call']] : calls
}

/**
 * Writes calls as a list, and arguments that are objects as text, with every digit as it came. Clients take the text
 * apart themselves.
 *
 * @param value an answer or a chunk, which is changed.
 * @param source what it was parsed from.
 */
export function writeCalls(value: Json, source: () => string): void {
  const { choices } = value
  if (!Array.isArray(choices)) return
  const speeches = choices.map((choice) => (isObject(choice) ? speechOf(choice) : {}))
  for (const speech of speeches) if (isObject(speech['tool_calls'])) speech['tool_calls'] = [speech['tool_calls']]
  const places = speeches.map(namedIn)
  if (!places.some((named) => named.some(({ arguments: given }) => typeof given === 'object' && given !== null))) return
  const exact = choicesIn(source())
  for (const [index, named] of places.entries()) {
    const written = namedIn(speechOf(recordOf(exact[index])))
    for (const [place, call] of named.entries()) {
      const { arguments: given } = call
      if (typeof given !== 'object' || given === null) continue
      call['arguments'] = JSON.stringify(written[place]?.['arguments'] ?? given)
    }
  }
}

/** The choices in a text; none where it is not the JSON of an answer. */
function choicesIn(text: string): readonly unknown[] {
  try {
    const { choices } = recordOf(parseExactly(text))
    return Array.isArray(choices) ? choices : []
  } catch {
    return []
  }
}
