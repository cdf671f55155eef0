/** How many tokens and searches a ranking has: at most, and probably. */
import { type Nanocredits, nanocreditsOf } from '@svc/contract'
import { BYTES_PER_ESTIMATED_TOKEN } from './charge-chat.ts'
import { dearestPromptRate } from './hold-bound.ts'
import type { ChatPrice } from './price.ts'
import { COUNT_FACTOR } from './prompt-bound.ts'

/** What a server puts around a query and a document; those that are language models explain their task. Source: own choice. */
const PAIR_TOKENS = 64
/** Documents of one search. Source: Cohere, "Rerank", search unit. */
const SEARCH_DOCUMENTS = 100
/** Tokens of a document and its query that count as one document. Source: as above. */
const PIECE_TOKENS = 500
/** The part of them that a long query leaves to the document. Source: own choice. */
const PIECE_TOKENS_MIN = 250

/** Lengths of a query and of its documents, in one unit. */
export interface RankedLengths {
  readonly query: number
  readonly documents: readonly number[]
}

/** Tokens, and searches, which are sold at the price of a request. */
export interface RankedQuantities {
  readonly tokens: number
  readonly searches: number
}

/** A query is read with each document; long documents are read in pieces, and each piece counts as a document. */
function quantitiesOf({ query, documents }: RankedLengths, perPair: number): RankedQuantities {
  const piece = Math.max(PIECE_TOKENS - query, PIECE_TOKENS_MIN)
  const pieces = documents.reduce((sum, length) => sum + Math.max(1, Math.ceil(length / piece)), 0)
  const tokens = documents.reduce((sum, length) => sum + query + length + perPair, 0)
  return { tokens, searches: Math.ceil(pieces / SEARCH_DOCUMENTS) }
}

/** At most: a token has at least one byte. @param bytes of UTF-8. */
export function boundRanking(bytes: RankedLengths): RankedQuantities {
  return quantitiesOf(bytes, PAIR_TOKENS)
}

/**
 * The bound again, from a count: for a balance that does not pay for the bytes. How the tokens are spread over the
 * documents is not known, so each may end in a piece of its own.
 */
export function boundCountedRanking(counted: { query: number; documents: number }, count: number): RankedQuantities {
  const query = Math.ceil(counted.query * COUNT_FACTOR)
  const all = Math.ceil(counted.documents * COUNT_FACTOR)
  const piece = Math.max(PIECE_TOKENS - query, PIECE_TOKENS_MIN)
  const pieces = count + Math.floor(all / piece)
  return { tokens: count * (query + PAIR_TOKENS) + all, searches: Math.ceil(pieces / SEARCH_DOCUMENTS) }
}

/** Probably: the base of a charge where an upstream reports no counts. Four bytes are a token. */
export function estimateRanking({ query, documents }: RankedLengths): RankedQuantities {
  const tokensOf = (bytes: number): number => Math.ceil(bytes / BYTES_PER_ESTIMATED_TOKEN)
  return quantitiesOf({ query: tokensOf(query), documents: documents.map(tokensOf) }, 0)
}

/**
 * What a ranking can cost at most, at the upstream where it is dearest, as `fixed + perUnit × units`: a unit is a token,
 * and the searches are fixed.
 *
 * @param prices of every upstream that may serve the request; at least one.
 */
export function boundRankingCost(
  prices: readonly ChatPrice[],
  { tokens, searches }: RankedQuantities,
): { readonly fixed: Nanocredits; readonly perUnit: Nanocredits; readonly units: number } {
  const { perToken, perRequest } = dearestPromptRate(prices, tokens, searches)
  return { fixed: nanocreditsOf(perRequest * BigInt(searches)), perUnit: perToken, units: tokens }
}
