/**
 * Money as JSON numbers, exactly: printed from the integer, read from the source text, never through a float.
 */
import { trimEndOf } from './digits.ts'
import { formatCredits, parseCredits, type Nanocredits } from './credits.ts'

/** A value that `JSON.stringify` prints as the text it was made from. Serialise it; do not calculate with it. */
export interface RawJson {
  readonly rawJSON: string
}

/** An exact decimal as text, as the typed client returns money: `"1.5"`. `parseCredits` makes nanocredits of it. */
export type DecimalText = string

interface ExactJson {
  rawJSON(text: string): RawJson
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown
}

// The compiler's library does not describe these two standard parts of JSON yet (ECMAScript, "JSON.parse source text
// access").
const exactJson = JSON as unknown as ExactJson

/** Gives an amount in credits as a JSON number with its exact digits: at most nine decimals, no exponent. */
export function creditsJson(amount: Nanocredits): RawJson {
  return exactJson.rawJSON(formatCredits(amount))
}

/**
 * Prints an amount in US dollars as an exact decimal with at most twelve decimals. A credit is a thousandth of a
 * dollar.
 */
export function formatUsd(amount: Nanocredits): DecimalText {
  const sign = amount < 0n ? '-' : ''
  const digits = (amount < 0n ? -amount : amount).toString().padStart(13, '0')
  const fraction = trimEndOf(digits.slice(-12), '0')
  return `${sign}${digits.slice(0, -12)}${fraction === '' ? '' : `.${fraction}`}`
}

/** Gives an amount in US dollars as a JSON number with its exact digits. */
export function usdJson(amount: Nanocredits): RawJson {
  return exactJson.rawJSON(formatUsd(amount))
}

const PLAIN_DECIMAL = /^-?\d+(?:\.\d+)?$/

/**
 * Gives an exact decimal as a JSON number with the same digits.
 *
 * @throws {TypeError} when the text is not a plain decimal.
 */
export function decimalJson(text: DecimalText): RawJson {
  if (!PLAIN_DECIMAL.test(text)) throw new TypeError(`"${text}" is not a plain decimal.`)
  return exactJson.rawJSON(text.replace(/^(-?)0+(?=\d)/, '$1'))
}

/**
 * The names of all fields that hold money as a JSON number, in any answer, chunk or error body.
 * A test compares this list with the schemas.
 */
export const moneyFields: ReadonlySet<string> = new Set([
  'credits',
  'opening_credits',
  'closing_credits',
  'balance_credits',
  'card',
  'selling',
  'used',
  'reserved',
  'credits_reserved',
  'credits_added',
  'credits_available',
  'credits_placed',
  'credits_required',
  'credits_short',
  'credits_charged',
  'credits_at_first',
  'credits_cost',
  'credits_funded',
  'credits_left',
  'credits_margin',
  'credits_written_off',
  'credits_estimate',
  'credits_likely',
  'credits_per_second',
  'credits_per_1m_input',
  'credits_per_1m_output',
  'credits_per_unit',
  'credits_per_image',
  'credits_per_request',
  'credits_at_least',
  'credits_at_most',
  'credits_as_asked',
  'total_credits_purchased',
  'total_credits_used',
  'total_credits',
  'total_usd',
  'booked_later_credits',
  'alert_credits',
  'cap_credits',
  'cap_used',
  'budget_credits',
  'budget_remaining',
  'budget_used',
  'usd',
  'cost',
  'amount_usd',
  'price_usd',
  'minimum_usd',
  'balance',
])

/**
 * Parses JSON so that every money field keeps its exact digits: as decimal text instead of a number.
 *
 * @throws {SyntaxError} when the text is not JSON, or a money field is written with an exponent.
 */
export function parseJsonExact(text: string): unknown {
  return exactJson.parse(text, (key, value, { source }) => {
    if (typeof value !== 'number' || !moneyFields.has(key)) return value
    if (source === undefined || !PLAIN_DECIMAL.test(source)) {
      throw new SyntaxError(`The field ${key} is not a plain decimal.`)
    }
    return source
  })
}

/**
 * Parses JSON that is about to be printed again: money fields keep the digits that they were written with.
 *
 * @throws {SyntaxError} when the text is not JSON.
 */
export function parseJsonToPrint(text: string): unknown {
  return exactJson.parse(text, (key, value, { source }) => {
    return typeof value === 'number' && moneyFields.has(key) && source !== undefined ? exactJson.rawJSON(source) : value
  })
}

/** Reads a money field that `parseJsonExact` returned. @throws {TypeError} when it is not an amount in credits. */
export function nanocreditsFrom(text: DecimalText): Nanocredits {
  const amount = parseCredits(text)
  if (amount === null) throw new TypeError(`"${text}" is not an amount in credits.`)
  return amount
}
