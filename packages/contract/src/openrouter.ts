/**
 * The account in the form of OpenRouter, for programs that were written for it: amounts are US dollars. Fields of what
 * there is none of here have the value that says so. Source: OpenRouter's API reference, "Get current API key",
 * "Get credits" and "Get a generation"; decision 0129.
 */
import { z } from 'zod'

/** A sum as programs of OpenRouter read it, as any number: the typed client reads no money here. */
const usd = z.number()

/** `GET /v1/key`. */
export const openRouterKey = z
  .object({
    data: z.looseObject({
      label: z.string().describe('What the key is called.'),
      limit: usd.nullable().describe('The budget of the key; null without one.'),
      limit_remaining: usd.nullable().describe('What the budget leaves, holds counted as spent.'),
      limit_reset: z.enum(['daily', 'weekly', 'monthly']).nullable(),
      usage: usd.describe('Charged so far.'),
      usage_daily: usd.describe('The same of the present day, UTC.'),
      usage_weekly: usd.describe('The same of the present week, from Monday.'),
      usage_monthly: usd,
      expires_at: z.string().nullable(),
      is_free_tier: z.literal(false),
      is_management_key: z.literal(false),
      is_provisioning_key: z.literal(false),
      rate_limit: z.object({ requests: z.int(), interval: z.string(), note: z.string() }),
      free_model_daily_requests: z.object({ limit: z.int(), remaining: z.int(), used: z.int() }),
      allowed_data_regions: z.array(z.string()),
      include_byok_in_limit: z.literal(false),
      byok_usage: z.int(),
      byok_usage_daily: z.int(),
      byok_usage_weekly: z.int(),
      byok_usage_monthly: z.int(),
      creator_user_id: z.null(),
      organization_id: z.null(),
      workspace_id: z.string().nullable().describe('The team of the key.'),
    }),
  })
  .meta({ id: 'OpenRouterKey' })

/** `GET /v1/credits`. */
export const openRouterCredits = z
  .object({
    data: z.object({
      total_credits: usd.describe('Granted and deposited so far, less corrections.'),
      total_usage: usd.describe('Charged so far, over all keys of the account.'),
    }),
  })
  .meta({ id: 'OpenRouterCredits' })

/** Query of `GET /v1/generation`. */
export const openRouterGenerationQuery = z.object({
  id: z.string().min(1).max(128).describe('The `id` of an answer, or the `x-request-id` beside it.'),
})

/** Parts of a generation that are not told here. */
const untold = [
  ...['app_id', 'cache_discount', 'external_user', 'finish_reason', 'http_referer', 'moderation_latency'],
  ...['native_finish_reason', 'native_tokens_completion_images', 'num_fetches', 'num_input_audio_prompt'],
  ...['num_media_completion', 'num_media_prompt', 'num_search_results', 'preset_id', 'provider_name'],
  ...['provider_responses', 'response_cache_source_id', 'router', 'service_tier', 'session_id', 'upstream_id'],
  ...['upstream_inference_cost', 'user_agent', 'web_search_engine'],
] as const

/** Those parts, each as null. */
export const openRouterUntold: Readonly<Record<(typeof untold)[number], null>> = Object.fromEntries(
  untold.map((name) => [name, null]),
) as Record<(typeof untold)[number], null>

/** `GET /v1/generation`. */
export const openRouterGeneration = z
  .object({
    data: z.looseObject({
      id: z.string().describe('As it was asked for.'),
      request_id: z.string(),
      model: z.string(),
      created_at: z.string(),
      api_type: z.enum(['completions', 'embeddings', 'rerank', 'image', 'video', 'tts', 'stt']),
      streamed: z.boolean(),
      cancelled: z.boolean(),
      latency: z.int().nullable().describe('Milliseconds from the request to its end.'),
      generation_time: z.int().nullable(),
      tokens_prompt: z.int().nullable(),
      tokens_completion: z.int().nullable(),
      native_tokens_prompt: z.int().nullable(),
      native_tokens_completion: z.int().nullable(),
      native_tokens_cached: z.int().nullable(),
      native_tokens_reasoning: z.int().nullable(),
      total_cost: usd.describe('The charge.'),
      usage: usd.describe('The charge.'),
      is_byok: z.literal(false),
      origin: z.string(),
      data_region: z.string(),
      workspace_id: z.string().nullable(),
    }),
  })
  .meta({ id: 'OpenRouterGeneration' })
