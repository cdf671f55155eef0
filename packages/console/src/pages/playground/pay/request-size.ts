/** What decides the price of a request: quantities and settings, and none of its words. */
import { countCharacters, type InputOf, type modelPriceEndpoints } from '@svc/contract'

export type RequestSize = NonNullable<InputOf<typeof modelPriceEndpoints.getRequestPrice>['query']>

const encoder = new TextEncoder()

/** How long a text is. */
export function lengthOf(text: string): { readonly bytes: number; readonly characters: number } {
  return { bytes: encoder.encode(text).length, characters: countCharacters(text) }
}
