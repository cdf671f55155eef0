import { z } from 'zod'
import { parseInstant } from './instant.ts'
import { usageStatuses, usageTypes } from './kinds.ts'
import { creditsNumber } from './money-schema.ts'
import { recordId } from './record-id.ts'
import { wholeNumber } from './whole-number.ts'

/** Most records on one page, and how many come unasked. Source: decision 0012 (limits of a request). */
export const USAGE_PAGE_MAX = 200
export const USAGE_PAGE_DEFAULT = 50

/**
 * A point in time in a query: seconds since the epoch or an ISO 8601 date or time, in UTC where it names no zone.
 * Becomes milliseconds since the epoch.
 */
const instant = z
  .string()
  .max(40)
  .transform((text, context) => {
    const ms = parseInstant(text)
    if (ms !== null) return ms
    context.addIssue({ code: 'custom', message: 'Expected seconds since the epoch or an ISO 8601 time.' })
    return z.NEVER
  })

/** Filters and page of `GET /v1/usage`. */
export const usageQuery = z.object({
  limit: wholeNumber({ min: 1, max: USAGE_PAGE_MAX }).prefault(USAGE_PAGE_DEFAULT),
  after: recordId('a record').optional().describe('Id of the last record of the page before.'),
  from: instant.optional().describe('Not before: seconds since the epoch, or an ISO 8601 date or time.'),
  to: instant.optional().describe('Before: seconds since the epoch, or an ISO 8601 date or time.'),
  model: z.string().min(1).max(256).optional().describe('As the requests named it.'),
  type: z.enum(usageTypes).optional(),
  status: z.enum(usageStatuses).optional().describe('What became of the request.'),
})

export type UsageQuery = z.output<typeof usageQuery>

export const chargeBases = ['card', 'cost', 'list', 'estimate'] as const

const decimalText = z.string()

/**
 * How the charge came about: everything that a reader needs to calculate it again.
 *
 * Prices and costs are exact decimal text. The charge is the larger of tokens × card and cost × (1 + margin), rounded
 * up once to nine decimals; `basis` says which of them it was. For media the cost by list is units × prices.
 */
export const usagePricing = z
  .looseObject({
    basis: z.enum(['card', 'cost', 'list']).optional().describe('Which of the rules below gave the larger charge.'),
    estimated: z.boolean().optional().describe('True when the tokens were counted here.'),
    prompt_tokens: z.int().optional(),
    completion_tokens: z.int().optional(),
    card: z
      .looseObject({ credits_per_1m_input: decimalText, credits_per_1m_output: decimalText })
      .optional()
      .describe('The row of the rate card, margin included.'),
    tokens: z.looseObject({}).optional().describe('Tokens by kind, each priced once, where list prices were used.'),
    units: z
      .looseObject({})
      .optional()
      .describe('What was counted where it is not tokens: images, input_images, seconds, characters, bytes, requests.'),
    variant: z.looseObject({}).optional().describe('The settings that chose the list price.'),
    usd_per_unit: z.looseObject({}).optional().describe('List prices of these units, before the margin.'),
    minimum_usd: decimalText.optional().describe('Least cost by list.'),
    usd_per_token: z.looseObject({}).optional().describe('List prices by kind, before the margin.'),
    cost_usd: decimalText
      .optional()
      .describe('What the upstream reported, or the list prices gave; before the margin.'),
    margin_bps: z.int().optional(),
    credits_at_most: decimalText.optional().describe('The most that the caller had agreed to pay, if they had.'),
  })
  .meta({ id: 'UsagePricing' })

/** One finished request. */
export const usageRecord = z
  .object({
    id: z.string(),
    object: z.literal('usage.record'),
    state: z.literal('final'),
    request_id: z.string().describe('The `x-request-id` of the answer.'),
    created: z.int().describe('When the request began, in seconds since the epoch.'),
    type: z.enum(usageTypes),
    model: z.string().describe('As the request named it.'),
    upstream_model: z.string().nullable(),
    status: z
      .enum(usageStatuses)
      .describe(
        'incomplete broke off, and the part that was delivered is charged; error is free; cancelled was ended by the ' +
          'caller.',
      ),
    error_code: z.string().nullable(),
    stream: z.boolean(),
    prompt_tokens: z.int().nullable(),
    completion_tokens: z.int().nullable(),
    total_tokens: z.int().nullable(),
    cached_tokens: z.int().nullable().describe('Part of prompt_tokens.'),
    reasoning_tokens: z.int().nullable().describe('Part of completion_tokens.'),
    units: z
      .object({ kind: z.enum(['images', 'seconds', 'characters', 'bytes', 'requests']), quantity: z.number() })
      .nullable()
      .describe('What was counted where it was not tokens.'),
    credits_charged: creditsNumber,
    margin_bps: z.int(),
    basis: z
      .enum(chargeBases)
      .nullable()
      .describe(
        'What decided the charge: the rate card, the reported cost, the list price, an estimate; null when free.',
      ),
    estimated: z.boolean().describe('True when quantities were counted here, since the upstream reported none.'),
    pricing: usagePricing.nullable(),
    latency_ms: z.int().nullable(),
    job_id: z.string().nullable(),
  })
  .meta({ id: 'UsageRecord' })

export type UsageRecordBody = z.output<typeof usageRecord>

/** A page of usage records, newest first. */
export const usageList = z
  .object({
    object: z.literal('list'),
    data: z.array(usageRecord),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
    totals: z
      .object({
        requests: z.int(),
        credits_charged: creditsNumber,
        prompt_tokens: z.int(),
        completion_tokens: z.int(),
      })
      .describe('Over all records that the filters select, not only this page.'),
  })
  .meta({ id: 'UsageList' })

export type UsageListReply = z.output<typeof usageList>

/** A request whose charge is not known yet. */
export const usagePending = z
  .object({
    id: z.string(),
    object: z.literal('usage.record'),
    state: z.literal('pending'),
    request_id: z.string(),
    created: z.int().describe('Seconds since the epoch.'),
    type: z.enum(usageTypes),
    model: z.string(),
    stream: z.boolean(),
    credits_reserved: creditsNumber.describe('Held for this request.'),
    job_id: z.string().nullable().describe('The video that this request has submitted.'),
  })
  .meta({ id: 'UsagePending' })

/** `GET /v1/usage/{request_id}`: the record, or that it is still open. */
export const usageReply = z.discriminatedUnion('state', [usagePending, usageRecord])

export type UsageReply = z.output<typeof usageReply>

export const usagePath = z.object({ request_id: z.string().min(1).max(64) })
