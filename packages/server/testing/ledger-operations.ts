/** Money operations with the parts that a test does not care about filled in. */
import { formatCredits, MARGIN_BPS, nanocreditsOf } from '@svc/contract'
import type { RecordCredit } from '../src/money/ledger/credit-operations.ts'
import type { PlaceHold, SettleHold, UsageFacts } from '../src/money/ledger/operations.ts'
import { formatUsd, usdOfNanocredits } from '../src/pricing/usd.ts'
import { createId } from '../src/platform/runtime/ids.ts'
import type { SeededCaller } from './seed-caller.ts'

/** A Thursday at noon, UTC. */
export const TEST_NOW = Date.UTC(2026, 4, 14, 12)

/** Facts of an answer that was delivered. */
export const DELIVERED: UsageFacts = {
  upstream: 'test',
  upstreamModel: 'test/model',
  status: 'ok',
  errorCode: null,
  promptTokens: 10,
  completionTokens: 20,
  cachedTokens: null,
  reasoningTokens: null,
  basis: 'card',
  estimated: false,
  pricing: '{"basis":"card"}',
  generationId: null,
  latencyMs: 5,
}

/** Facts of a request that failed and is free. */
export const FAILED: UsageFacts = {
  ...DELIVERED,
  status: 'error',
  errorCode: 'upstream_error',
  promptTokens: null,
  completionTokens: null,
  basis: null,
  pricing: null,
}

/** An exact hold of `fixed` nanocredits unless said otherwise. */
export function placeHold(
  caller: SeededCaller,
  parts: Partial<Omit<PlaceHold, 'fixed' | 'perUnit'>> & { readonly fixed?: bigint; readonly perUnit?: bigint } = {},
): PlaceHold {
  return {
    kind: 'place',
    holdId: createId(Date.now()),
    accountId: caller.accountId,
    keyId: caller.keyId,
    teamBudgetId: caller.teamBudgetId,
    keyBudgetId: caller.keyBudgetId,
    processId: 'process-1',
    type: 'chat',
    model: 'svc-test',
    stream: false,
    units: 1,
    policy: 'exact',
    firstUnits: 1,
    flush: 'at_once',
    now: TEST_NOW,
    ...parts,
    fixed: nanocreditsOf(parts.fixed ?? 0n),
    perUnit: nanocreditsOf(parts.perUnit ?? 0n),
  }
}

/**
 * Facts whose prices give a charge: by the card, which asks so much for the tokens that they count, at a cost.
 *
 * @param delivered what the answer cost, less than the charge by the margin at least.
 */
export function pricedFacts(charge: bigint, delivered: bigint, facts: UsageFacts = DELIVERED): UsageFacts {
  const tokens = { prompt_tokens: facts.promptTokens ?? 10, completion_tokens: facts.completionTokens ?? 20 }
  const perMillion = formatCredits((charge * 1_000_000n) / BigInt(tokens.prompt_tokens || 1))
  const card = { credits_per_1m_input: perMillion, credits_per_1m_output: '0' }
  const cost = { cost_usd: formatUsd(usdOfNanocredits(delivered)), margin_bps: MARGIN_BPS }
  return { ...facts, basis: 'card', pricing: JSON.stringify({ basis: 'card', ...tokens, card, ...cost }) }
}

/** The capture of a delivered answer: `charge` nanocredits, and a cost of the same amount less the margin. */
export function capture(holdId: string, charge: bigint, parts: Partial<SettleHold> = {}): SettleHold {
  const cost = nanocreditsOf((charge * 5n) / 6n)
  const { facts = DELIVERED, lost = 0n } = parts
  const isUnpriced = facts.pricing === DELIVERED.pricing
  return {
    kind: 'settle',
    holdId,
    end: 'captured',
    charge: nanocreditsOf(charge),
    cost,
    lost: nanocreditsOf(0n),
    placed: null,
    now: TEST_NOW,
    ...parts,
    facts: isUnpriced ? pricedFacts(charge, (parts.cost ?? cost) - lost, facts) : facts,
  }
}

/** The free end of a hold. */
export function release(holdId: string, parts: Partial<SettleHold> = {}): SettleHold {
  return capture(holdId, 0n, { end: 'released', facts: FAILED, ...parts })
}

/** Test credits for an account. */
export function grant(accountId: string, amount: bigint, parts: Partial<RecordCredit> = {}): RecordCredit {
  return {
    kind: 'credit',
    transferId: createId(Date.now()),
    source: 'grant',
    accountId,
    amount: nanocreditsOf(amount),
    reason: 'test',
    now: TEST_NOW,
    ...parts,
  }
}
