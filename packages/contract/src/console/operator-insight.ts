import { z } from 'zod'
import { healthReply } from '../health.ts'
import { modelTypes } from '../kinds.ts'
import { creditsNumber } from '../money-schema.ts'
import { recordId } from '../record-id.ts'

const circuit = z.enum(['closed', 'half_open', 'open'])
const served = z.enum(['ok', 'degraded', 'down', 'off'])

/** `GET /console/operator/upstreams`: by the word of the process that answers. */
export const upstreamsReply = z.object({
  health: healthReply,
  chain_problems: z.array(z.string()),
  upstreams: z.array(
    z.object({
      name: z.string(),
      kind: z.string(),
      health: z.object({ text: served, image: served, video: served, audio: served }),
      account_circuit: circuit.describe('Open after it refused our key or our credit.'),
      models: z
        .array(
          z.object({
            model: z.string().describe('As the upstream knows it.'),
            circuit,
            calls: z.int().describe('Since the process started.'),
            failures: z.int(),
            last_at: z.int(),
            median_ms: z.int().nullable().describe('Until an answer came or a stream began, of the last 64.'),
            slowest_ms: z.int().nullable(),
          }),
        )
        .describe('The most used first.'),
      failures: z
        .array(z.object({ at: z.int(), model: z.string(), kind: z.string(), status: z.int().nullable() }))
        .describe('The last 30, newest first.'),
    }),
  ),
})

export type UpstreamsReply = z.output<typeof upstreamsReply>

export const priceWarnings = ['card_below_cost', 'cost_unknown', 'reported_only', 'bundled_list', 'guess'] as const

/** `GET /console/operator/prices`: what everything is sold at, and what it costs. */
export const comparedPricesReply = z.object({
  unsold_aliases: z.array(z.string()).describe('Featured names that are not served: their price is unknown.'),
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      type: z.enum(modelTypes),
      featured: z.boolean(),
      alias_for: z.string().nullable(),
      upstreams: z.array(z.string()),
      unit: z.enum(['image', 'second', 'character', 'byte']).nullable(),
      source: z.enum(['configured', 'live', 'snapshot']).nullable().describe('Where the cost is from.'),
      warnings: z.array(z.enum(priceWarnings)),
      lines: z.array(
        z.object({
          kind: z.enum(['input', 'output', 'unit']).describe('Input and output: for a million tokens.'),
          card: creditsNumber.nullable(),
          cost: creditsNumber.nullable(),
          selling: creditsNumber,
          margin_bps: z.int().nullable(),
          rule: z.enum(['card', 'cost']),
        }),
      ),
    }),
  ),
})

export type ComparedPrices = z.output<typeof comparedPricesReply>

const auditReport = z.object({
  taken_at: z.int(),
  breaches: z.int(),
  rows: z.array(
    z.object({
      name: z.string(),
      promise: z.string(),
      figures: z.array(
        z.object({ name: z.string(), value: z.string().describe('Credits as exact text, or a whole number.') }),
      ),
      breaches: z.int(),
      examples: z.array(z.string()).describe('The first few, in words.'),
    }),
  ),
})

/** `GET /console/operator/audit`. */
export const auditReply = z.object({
  running: z.object({ started_at: z.int(), by: z.string() }).nullable(),
  last: z.object({ started_at: z.int(), took_ms: z.int(), by: z.string(), report: auditReport }).nullable(),
  failure: z.string().nullable().describe('Why the newest did not come to its end; null where it did, or runs.'),
})

export type AuditReply = z.output<typeof auditReply>

export const auditStartReply = z.object({ started: z.boolean().describe('False when one ran already.') })

export const journalActions = [
  'settings.change',
  'offer.change',
  'limit.change',
  'announcement.publish',
  'announcement.withdraw',
  'operator.add',
  'operator.remove',
  'account.create',
  'account.suspend',
  'account.resume',
  'account.close',
  'account.export',
  'account.erase',
  'account.limits',
  'person.reset_factor',
  'credits.grant',
  'credits.adjust',
  'deposit.release',
  'deposit.reject',
  'key.create',
  'key.change',
  'key.revoke',
  'key.rotate',
  'mail.retry',
  'mail.suppress',
  'requests.archive',
  'audit.run',
  'reconciliation.run',
  'store.go_live',
  'log.replace_key',
  'log.begin_anew',
] as const

export const journalQuery = z.object({
  action: z.enum(journalActions).optional(),
  account: recordId('an account').optional(),
  after: recordId('an action').optional(),
})

/** What operators did, newest first. */
export const journalReply = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      at: z.int(),
      by: z.string(),
      way: z.enum(['console', 'command', 'start']),
      action: z.enum(journalActions),
      account_id: z.string().nullable(),
      subject: z.string().nullable(),
      reason: z.string().nullable(),
      details: z.array(z.object({ name: z.string(), value: z.string() })),
      outcome: z
        .enum(['done', 'unchanged', 'refused', 'failed'])
        .nullable()
        .describe('Null while it is under way, and for good where its process died.'),
    }),
  ),
  has_more: z.boolean(),
})

export type JournalReply = z.output<typeof journalReply>
