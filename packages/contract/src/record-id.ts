import { z } from 'zod'
import { type TextForm, textForm } from './text-form.ts'

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
  return z
    .string()
    .regex(patternOf(prefix), expectedOf(what))
    .transform((text) => text.replace(prefix, '').toLowerCase())
}

/** The form of such an id. Parameters as for `recordId`. */
export function recordIdForm(what: string, prefix = ''): TextForm {
  return textForm(patternOf(prefix), expectedOf(what), ID_LENGTH_MAX)
}

/** Room for any prefix. */
const ID_LENGTH_MAX = 100

function patternOf(prefix: string): RegExp {
  const shown = prefix === '' ? '' : `(${prefix})?`
  return new RegExp(`^${shown}${RECORD_ID}$`)
}

function expectedOf(what: string): string {
  return `expected the id of ${what}.`
}
