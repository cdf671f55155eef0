/** What a request can cost before it is sent: asked of the gateway. */
import { consoleEndpoints, type DecimalText, type Nanocredits, nanocreditsFrom, nanocreditsOf } from '@svc/contract'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { consoleApi } from '../../../api/client.ts'
import type { RequestSize } from './request-size.ts'

/** The least and the most that can be charged, and what usually is. */
export interface PriceRange {
  readonly low: Nanocredits
  readonly likely: Nanocredits
  readonly high: Nanocredits
}

const sumOf = (amounts: readonly DecimalText[]): Nanocredits =>
  nanocreditsOf(amounts.reduce((sum, amount) => sum + nanocreditsFrom(amount), 0n))

/** @param requests that are sent together. */
export const priceQuery = (requests: readonly RequestSize[]) =>
  queryOptions({
    queryKey: ['request-price', requests],
    queryFn: async ({ signal }): Promise<PriceRange> => {
      const ask = (query: RequestSize) => consoleApi.call(consoleEndpoints.getRequestPrice, { query }, { signal })
      const prices = await Promise.all(requests.map(ask))
      return {
        low: sumOf(prices.map((price) => price.credits_at_least)),
        likely: sumOf(prices.map((price) => price.credits_likely)),
        high: sumOf(prices.map((price) => price.credits_at_most)),
      }
    },
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  })
