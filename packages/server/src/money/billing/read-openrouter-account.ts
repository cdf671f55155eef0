/** The key in use and its account in the form of OpenRouter: amounts are US dollars. Source: decision 0129. */
import { nanocreditsOf, openRouterUntold, type RawJson, usdJson, type UsageType } from '@svc/contract'
import type { Caller } from '../../access/keys/caller.ts'
import { InvariantError } from '../../platform/errors/invariant-error.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { periodStart } from '../../platform/runtime/budget-period.ts'
import { budgetRemaining } from '../ledger/budget-window.ts'
import type { ReadBalanceDeps } from './read-balance.ts'
import type { ReadUsageDeps } from './read-usage.ts'
import { renderUsageRecord } from './render-usage.ts'

/** An answer with its facts. Sums are exact digits. */
interface OpenRouterReply {
  readonly data: Readonly<Record<string, unknown>>
}

const DAY_MS = 86_400_000

function usd(amount: bigint): RawJson {
  return usdJson(nanocreditsOf(amount))
}

/** Reads the key in use: its budget, and what it was charged so far and in the present day, week and month. */
export async function readOpenRouterKey(
  { balance, usage }: { readonly balance: ReadBalanceDeps; readonly usage: ReadUsageDeps },
  caller: Caller,
): Promise<OpenRouterReply> {
  const now = balance.clock.now()
  const chargedSince = async (start: number | null): Promise<RawJson> => {
    const scope = { keyId: caller.keyId }
    return usd((await usage.store.sumDays({ scope }, start === null ? null : start / DAY_MS, null)).charge)
  }
  const [budget, all, day, week, month] = await Promise.all([
    balance.store.findBudget(caller.keyBudgetId, now),
    chargedSince(null),
    chargedSince(periodStart('daily', now)),
    chargedSince(periodStart('weekly', now)),
    chargedSince(periodStart('monthly', now)),
  ])
  if (budget === null) throw new InvariantError(`key ${caller.keyId} has no budget row`)
  const remaining = budgetRemaining(budget)
  return {
    data: {
      label: caller.keyName,
      limit: budget.limit === null ? null : usd(budget.limit),
      limit_remaining: remaining === null ? null : usd(remaining),
      limit_reset: budget.period === 'none' ? null : budget.period,
      ...{ usage: all, usage_daily: day, usage_weekly: week, usage_monthly: month },
      expires_at: caller.expiresAt === null ? null : new Date(caller.expiresAt).toISOString(),
      ...{ is_free_tier: false, is_management_key: false, is_provisioning_key: false },
      rate_limit: { requests: caller.limits.requestsPerMinute.most, interval: '1m', note: 'Of this key.' },
      free_model_daily_requests: { limit: 0, remaining: 0, used: 0 },
      allowed_data_regions: ['global'],
      ...{ include_byok_in_limit: false, byok_usage: 0, byok_usage_daily: 0 },
      ...{ byok_usage_weekly: 0, byok_usage_monthly: 0, creator_user_id: null, organization_id: null },
      workspace_id: caller.teamId,
    },
  }
}

/** Reads what the account was given so far, and what it was charged. */
export async function readOpenRouterCredits(
  { store }: Pick<ReadBalanceDeps, 'store'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<OpenRouterReply> {
  const balance = await store.findBalance(accountId)
  if (balance === null) throw new InvariantError(`account ${accountId} has no balance row`)
  const { funded, posted } = balance
  return { data: { total_credits: usd(funded), total_usage: usd(funded - posted) } }
}

/** What stands before the id of a request in the ids of answers. */
const PREFIX = /^(?:chatcmpl-|resp_|msg_|gen-)/
const BARE = /^([\da-f]{8})([\da-f]{4})([\da-f]{4})([\da-f]{4})([\da-f]{12})$/

/** The id of a request in the id of its answer, which may have lost its hyphens. */
function requestIdIn(id: string): string {
  return id.toLowerCase().replace(PREFIX, '').replace(BARE, '$1-$2-$3-$4-$5')
}

const apiTypes: Readonly<Record<UsageType, string>> = {
  chat: 'completions',
  embedding: 'embeddings',
  rerank: 'rerank',
  // OpenRouter has no such work.
  moderation: 'completions',
  image: 'image',
  video: 'video',
  speech: 'tts',
  transcription: 'stt',
}

/**
 * Reads what became of one request of the key in use.
 *
 * @param id of its answer, or its own.
 * @throws {ServiceError} `usage_not_found`, also while it runs.
 */
export async function readOpenRouterGeneration(
  { store }: ReadUsageDeps,
  { keyId, teamId }: Pick<Caller, 'keyId' | 'teamId'>,
  id: string,
): Promise<OpenRouterReply> {
  const row = await store.find({ keyId }, requestIdIn(id))
  if (row === null) {
    const hint = await store.archivedHint(requestIdIn(id))
    const message = `No request of this key that has ended has the id ${JSON.stringify(id)}.${hint}`
    throw new ServiceError('usage_not_found', message, { param: 'id' })
  }
  const record = renderUsageRecord(row)
  const charge = usd(row.charge)
  return {
    data: {
      ...openRouterUntold,
      ...{ id, request_id: record.request_id, model: record.model },
      created_at: new Date(row.started_at).toISOString(),
      api_type: apiTypes[record.type],
      ...{ streamed: record.stream, cancelled: record.status === 'cancelled' },
      ...{ latency: record.latency_ms, generation_time: record.latency_ms },
      ...{ tokens_prompt: record.prompt_tokens, tokens_completion: record.completion_tokens },
      ...{ native_tokens_prompt: record.prompt_tokens, native_tokens_completion: record.completion_tokens },
      ...{ native_tokens_cached: record.cached_tokens, native_tokens_reasoning: record.reasoning_tokens },
      ...{ total_cost: charge, usage: charge },
      ...{ is_byok: false, origin: '', data_region: 'global', workspace_id: teamId },
    },
  }
}
