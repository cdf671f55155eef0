import { z } from 'zod'
import { creditsNumber } from '../money-schema.ts'
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

/** `GET /console/log-keys`: the keys by which the ledger log is signed. */
export const logKeysReply = z.object({ keys: z.array(z.string()).describe('The present one first.') })
