import type { LimitUnit } from '@svc/contract'
import { z } from 'zod'
import { filePart, milliseconds } from './file-part.ts'

const KIB = 1_024
const MIB = 1_048_576

/** What a limit counts, where that is more than a number of things. */
const units = z.registry<{ readonly unit: LimitUnit }>()
const BYTES = { unit: 'bytes' } as const
const HOURS = { unit: 'hours' } as const
const MILLISECONDS = { unit: 'milliseconds' } as const

const perMinute = z.int().min(1).max(10_000_000)
const bytes = z
  .int()
  .min(KIB)
  .max(1_024 * MIB)
  .register(units, BYTES)
const duration = milliseconds.register(units, MILLISECONDS)
const count = z.int().min(1).max(1_000_000_000)

/**
 * The part `limits` of the configuration file: bounds of everything. Of a rate of requests a sixth may come at once.
 * Source: decisions 0012 (limits of a request), 0015 (rate limits) and 0031 (the funding receipt).
 */
export const limitsSchema = filePart({
  requests_per_minute: perMinute.default(600).describe('Requests of one key, and calls of one person in the console.'),
  streams_at_once: z.int().min(1).max(100_000).default(20).describe('Open streams of one key.'),
  video_submits_per_minute: perMinute.default(20).describe('Videos that a key submits.'),
  public_per_minute: perMinute.default(120).describe('Requests without a key from one address.'),
  failed_auth_per_minute: perMinute.default(30).describe('Wrong keys from one address.'),
  chat_body_bytes: bytes
    .default(32 * MIB)
    .describe('Size of the JSON body of a paid request, of a quote and of a message batch.'),
  images_per_minute: perMinute.default(60).describe('Requests for images of one key.'),
  image_form_bytes: bytes.default(64 * MIB).describe('Files of one form with images, all together.'),
  body_bytes_in_flight: bytes
    .default(512 * MIB)
    .describe(
      'Memory for request bodies at a time, each counted as four times its bytes and 64 bytes for each value in it.',
    ),
  upload_bytes_in_flight: bytes.default(1_024 * MIB).describe('Files of requests on disk and in memory at a time.'),
  upload_stall_ms: duration.default(30_000).describe('How long a client may send nothing of a form.'),
  headers_ms: duration.default(30_000).describe('How long a request’s headers may take.'),
  request_ms: duration.default(300_000).describe('How long a request may take to arrive whole.'),
  header_bytes: z
    .int()
    .min(8 * KIB)
    .max(MIB)
    .register(units, BYTES)
    .default(64 * KIB)
    .describe('Size of a request’s headers.'),
  lease_ms: duration.default(60_000).describe('How long a silent process keeps its holds.'),
  journal_ms: duration.default(5_000).describe('How often open holds are noted.'),
  shared_limits_ms: duration
    .default(250)
    .describe('How long a request waits for limits that processes share before its process applies its part.'),
  first_content_ms: duration.default(10_000).describe('How long the 200 of a stream waits for its first content.'),
  waiting_ms: duration
    .default(5_000)
    .describe(
      'The longest that a paid request may be expected to wait in the gateway before its upstream is asked; beyond it ' +
        'new ones get 503.',
    ),
  keep_alive_ms: duration.default(15_000).describe('How often an open stream that is silent sends a comment.'),
  free_answers: count
    .default(10)
    .describe(
      'Answers without content, or failures that an upstream bills, before an account is slowed down; one is ' +
        'forgiven a minute, and one for each answer that is charged no less than they cost.',
    ),
  breaker_failures: count
    .default(5)
    .describe('So many failures, at least half of the last 20 calls, and a model of an upstream is left alone.'),
  breaker_open_ms: z
    .int()
    .min(0)
    .max(3_600_000)
    .register(units, MILLISECONDS)
    .default(10_000)
    .describe('How long it is left alone before it is tried again; 0 never leaves one alone.'),
  audit_hours: z
    .int()
    .min(0)
    .max(744)
    .register(units, HOURS)
    .default(24)
    .describe('How often the gateway audits its books by itself, in hours; 0 never does.'),
  reconcile_hours: z
    .int()
    .min(0)
    .max(23)
    .register(units, HOURS)
    .default(3)
    .describe(
      'How many hours after the end of a UTC day it is reconciled with what upstreams that have an activity_key_env say ' +
        'that they have billed; 0 never does.',
    ),
  shutdown_grace_ms: duration.default(30_000).describe('How long a stop waits for open requests.'),
  claims_per_minute: perMinute.default(10).describe('Deposit claims of one key.'),
  claims_per_day: perMinute.default(100).describe('Deposit claims of one key in a day.'),
  mirrors_per_minute: perMinute.default(5).describe('Keys that one key may mirror.'),
  receipts_per_recipient_hour: perMinute.default(3).describe('Receipts to one email address in an hour.'),
  receipts_per_recipient_day: perMinute.default(5).describe('The same in a day.'),
  receipts_per_account_day: perMinute.default(10).describe('Receipts that one account asks for in a day.'),
  receipts_per_hour: perMinute.default(200).describe('Receipts in an hour, over all accounts.'),
})

export type LimitsConfig = z.output<typeof limitsSchema>

/** A limit as the file names it. */
export type LimitName = keyof z.input<typeof limitsSchema>

/** What a limit counts. */
export function unitOfLimit(name: LimitName): LimitUnit {
  return units.get(limitsSchema.in.shape[name].unwrap())?.unit ?? 'count'
}
