import { z } from 'zod'
import { creditsNumber, usdNumber } from '../money-schema.ts'
import { recordId } from '../record-id.ts'
import { usageQuery } from '../usage.ts'

/** Longest span of an overview, in days. Source: own choice, since each list is one pass over its records. */
export const OVERVIEW_DAYS_MAX = 366

export const operatorOverviewQuery = z.object({
  from: usageQuery.shape.from.describe('When requests began; seven days before the end if absent.'),
  to: usageQuery.shape.to.describe('The end, itself excluded; now if absent.'),
})

const row = z.object({
  name: z.string().describe('A day, an upstream, a model, the id of an account, or a code of an error.'),
  label: z.string().nullable().describe('What people call it, where that is something else.'),
  requests: z.int(),
  failed: z.int().describe('Those that failed, which are free.'),
  credits_charged: creditsNumber,
  credits_cost: creditsNumber.describe('What upstreams charge.'),
  credits_left: creditsNumber.describe('Charged less cost: the margin after losses.'),
  credits_written_off: creditsNumber.describe('What upstreams bill and no client pays.'),
})

/** `GET /console/operator/overview`: what was earned and lost, of requests that began in a span of time. */
export const operatorOverviewReply = z.object({
  from: z.int().describe('Seconds since the epoch.'),
  to: z.int(),
  total: row,
  days: z.array(row).describe('UTC days, oldest first; days without a request are left out.'),
  upstreams: z.array(row).describe('The first twenty by charge, as all that follow.'),
  models: z.array(row),
  accounts: z.array(row),
  errors: z.array(row).describe('The most frequent first.'),
})

export type OperatorOverview = z.output<typeof operatorOverviewReply>

const side = z.object({ rows: z.int(), usd: usdNumber })

/** `GET /console/operator/reconciliations`: the last comparisons with upstreams, newest first. */
export const reconciliationList = z.object({
  scheduled: z.array(z.string()).describe('Upstreams whose days are compared by themselves.'),
  data: z.array(
    z.object({
      id: z.string(),
      upstream: z.string(),
      day: z.string().describe('UTC, such as 2026-03-31.'),
      started_at: z.int(),
      by: z.string(),
      ended_at: z.int().nullable().describe('Null while it runs.'),
      differences: z.int().nullable().describe('Null where it came to no verdict.'),
      failure: z.string().nullable(),
    }),
  ),
})

export type ReconciliationList = z.output<typeof reconciliationList>

export const reconciliationPath = z.object({ run_id: recordId('a comparison') })

/** `GET /console/operator/reconciliations/{run_id}`: what one of them has found. */
export const reconciliationReply = z.object({
  upstream: z.string(),
  day: z.string(),
  source: z.enum(['file', 'activity']),
  here: side,
  there: side,
  at_edge: side,
  unnamed: side,
  kinds: z.array(z.object({ kind: z.string(), count: z.int(), here: side, there: side })),
  differences: z.array(
    z.object({
      kind: z.string(),
      generation_id: z.string().nullable(),
      request_ids: z.array(z.string()),
      model: z.string().nullable(),
      here: side,
      there: side,
    }),
  ),
  notes: z.array(z.string()),
})

export type ReconciliationReply = z.output<typeof reconciliationReply>

/** `GET /console/log-keys`: the keys by which the ledger log is signed. */
export const logKeysReply = z.object({ keys: z.array(z.string()).describe('The present one first.') })
