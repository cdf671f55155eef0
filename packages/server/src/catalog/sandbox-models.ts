/**
 * What the sandbox upstream has to know about models: their cost, and the names under which it misbehaves on purpose.
 */
import type { TokenPrices } from '../pricing/price.ts'
import { attoUsdOf } from '../pricing/usd.ts'
import type { Model } from './model.ts'

/** Names of scripted faults start with it: `svc-sandbox/429`. They can be asked for and are never listed. */
export const SANDBOX_FAULT_PREFIX = 'svc-sandbox/'

/** 1 USD per million prompt tokens and 2 USD per million output tokens: enough that a wrong charge shows. */
const FAULT_PRICES: TokenPrices = {
  input: attoUsdOf(1_000_000_000_000n),
  output: attoUsdOf(2_000_000_000_000n),
  cachedInput: null,
  cacheWrite: null,
  request: null,
  tiers: [],
}

/** Gives the model of a scripted fault; null for any other id. Whether the fault exists is for the sandbox to say. */
export function sandboxFault(upstream: string, id: string): Model | null {
  if (!id.startsWith(SANDBOX_FAULT_PREFIX) || id.length === SANDBOX_FAULT_PREFIX.length) return null
  return {
    id,
    upstream,
    upstreamModel: id,
    type: 'text',
    featured: false,
    name: id,
    description: null,
    ownedBy: 'svc-sandbox',
    created: 0,
    contextLength: 128_000,
    maxOutputTokens: 16_384,
    inputModalities: ['text'],
    outputModalities: ['text'],
    supportedParameters: [],
    price: { card: null, list: { prices: FAULT_PRICES, source: 'configured' } },
    aliases: [],
    aliasFor: null,
    confidential: false,
  }
}

/**
 * What each model costs in the sandbox, by the id that is sent to it. An alias costs its card ÷ 1.2, rounded down, so that the card
 * is exact.
 *
 * @returns null for a model that the sandbox does not have, or that is not sold by tokens.
 */
export function findSandboxPrices(find: (id: string) => Model | null, upstreamModel: string): TokenPrices | null {
  return find(upstreamModel)?.price?.list?.prices ?? null
}
