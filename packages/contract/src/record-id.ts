import { z } from 'zod'

/** The form of the ids that the gateway makes: UUIDv7 text. */
export const RECORD_ID = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}'

/**
 * An id that a client gives back, as the database stores it. Another text sorts before or after all ids: a page by it
 * would be the wrong one, and a filter by it would select nothing.
 *
 * @param what names it in the refusal: `a record`.
 * @param prefix what clients see before it; they may leave it out.
 */
export function recordId(what: string, prefix = '') {
  const shown = prefix === '' ? '' : `(${prefix})?`
  return z
    .string()
    .regex(new RegExp(`^${shown}${RECORD_ID}$`), `expected the id of ${what}.`)
    .transform((text) => text.replace(prefix, '').toLowerCase())
}
