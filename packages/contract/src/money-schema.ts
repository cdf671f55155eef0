import { z } from 'zod'
import type { DecimalText, RawJson } from './json-number.ts'

/**
 * Credits on the wire: a JSON number with at most nine decimals, to be read as an exact decimal.
 *
 * The brand lets the compiler tell money from other numbers: the server must print it from the integer (`Printed`), the
 * client reads it from the source text (`Exact`).
 */
export const creditsNumber = z.number().brand<'money'>()

/** US dollars on the wire: a JSON number with at most twelve decimals, to be read as an exact decimal. */
export const usdNumber = z.number().brand<'money'>()

type Money = z.output<typeof creditsNumber>

/** A wire type as the server builds it: money fields are raw JSON, made by `creditsJson` or `usdJson`. */
export type Printed<T> = MapMoney<T, RawJson>

/** A wire type as the client returns it: money fields are exact decimal text. */
export type Exact<T> = MapMoney<T, DecimalText>

type MapMoney<T, To> = T extends Money
  ? To
  : T extends readonly (infer Item)[]
    ? MapMoney<Item, To>[]
    : T extends object
      ? { [Key in keyof T]: MapMoney<T[Key], To> }
      : T
