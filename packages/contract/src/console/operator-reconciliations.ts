import { z } from 'zod'
import { usdNumber } from '../money-schema.ts'
import { recordId } from '../record-id.ts'

const side = z.object({ rows: z.int(), usd: usdNumber })

/** `GET /console/operator/reconciliations`: the last reconciliations with upstreams, newest first. */
export const reconciliationList = z.object({
  scheduled: z.array(z.string()).describe('Upstreams whose days are reconciled by themselves.'),
  upstreams: z.array(
    z.object({ name: z.string(), tells_figures: z.boolean().describe('False for one whose invoice has to be given.') }),
  ),
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

export const reconciliationPath = z.object({ run_id: recordId('a reconciliation') })

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

/** Largest invoice that a page gives, in bytes: some 600,000 rows. Source: own choice; the command takes any. */
export const INVOICE_BYTES_MAX = 64 * 1024 * 1024

const header = (what: string) => z.string().min(1).max(200).optional().describe(`The header of its column of ${what}.`)

/** What is reconciled. A file's columns are named where their headers are others than these names. */
export const reconciliationQuery = z.object({
  upstream: z.string().min(1).max(64).describe('As the configuration names it.'),
  day: z.iso.date('expected a date such as 2026-03-31.').describe('UTC, and over.'),
  generation_id: header('ids'),
  cost_usd: header('costs'),
  created_at: header('times'),
  model: header('models'),
  utc_offset: z
    .string()
    .regex(/^[+-](0\d|1[0-4]):[0-5]\d$/, 'expected an offset such as +02:00.')
    .optional()
    .describe('Of times in the file that name no zone; UTC if absent.'),
})

export type ReconciliationQuery = z.output<typeof reconciliationQuery>

/** The upstream's invoice, with a row for each generation. Without it the upstream is asked. */
export const invoiceForm = z.object({ file: z.file().optional() })

/** `POST /console/operator/reconciliations`. */
export const reconciliationStart = z.object({
  id: z.string().nullable().describe('Of the run; null where another of the upstream runs already.'),
})
