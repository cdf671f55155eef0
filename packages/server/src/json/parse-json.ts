import { textStart } from './json-body.ts'

/**
 * Reads JSON that somebody else wrote. A byte order mark before it is skipped, as RFC 8259, section 8.1 allows.
 *
 * @param parse how its text becomes values.
 * @returns undefined for what is no JSON.
 */
export function parseJsonText(text: Buffer, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text.toString('utf8', textStart(text)))
  } catch {
    return undefined
  }
}
