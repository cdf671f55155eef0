/** The events of a stream that speaks as OpenAI does. */
import { parseAnswerJson, parseJsonText } from '../../platform/json/parse-json.ts'
import { DONE, type WireFrames } from './chat-wire.ts'
import { findError } from './errors.ts'
import { isObject } from './usage.ts'

/** How an upstream says that its stream is over. Some write blanks around it. */
const OVER = /^\s*\[DONE\]\s*$/i

/**
 * The chunk in the data of an event, or each of a list of them: Google writes errors in one.
 *
 * @throws {SyntaxError} for what is no JSON.
 */
export function readOwnFrames(data: string): WireFrames {
  if (OVER.test(data)) return [DONE]
  const value = parseAnswerJson(data)
  return Array.isArray(value) ? value.filter(isObject) : isObject(value) ? [value] : []
}

/** What an event that calls itself an error says, as the body of one. */
export function readErrorEvent(data: string): Record<string, unknown> {
  const value = parseJsonText(Buffer.from(data))
  if (!isObject(value)) return { error: data }
  return findError(value) === null ? { error: value } : value
}
