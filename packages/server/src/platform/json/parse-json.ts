import { textStart } from './json-body.ts'
import { ANSWER_JSON, JsonCounter, type JsonLimits } from './json-limits.ts'

/** How text becomes values. */
type Parse = (text: string) => unknown

/**
 * Reads JSON that an upstream wrote: the data of one event.
 *
 * @throws {SyntaxError} when it is no JSON.
 * @throws {JsonLimitError} when it has more structure than an answer may have.
 */
export function parseAnswerJson(data: string, parse: Parse = JSON.parse): unknown {
  if (!isHarmless(data.length, ANSWER_JSON)) new JsonCounter(ANSWER_JSON).count(Buffer.from(data))
  return parse(data)
}

/**
 * Reads JSON of another program. A byte order mark before it is skipped, as RFC 8259, section 8.1 allows.
 *
 * @returns undefined for what is no JSON, or has more structure than an answer may have.
 */
export function parseJsonText(text: Buffer, parse: Parse = JSON.parse): unknown {
  try {
    if (!isHarmless(text.length, ANSWER_JSON)) new JsonCounter(ANSWER_JSON).count(text)
    return parse(text.toString('utf8', textStart(text)))
  } catch {
    return undefined
  }
}

/** Whether a text is so short that it can be above no limit: each level of JSON takes two brackets. */
function isHarmless(length: number, { depth, numberLength, objectMembers }: JsonLimits): boolean {
  return length <= Math.min(2 * depth, numberLength, objectMembers)
}
