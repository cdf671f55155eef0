import type { LimitsConfig } from './config.ts'
import type { LimitsEntry } from './config-file.ts'

const KIB = 1_024
const MIB = 1_048_576

/**
 * Takes each limit from the file, or the default. Source: decisions 0012 (limits of a request) and 0015 (rate limits).
 */
export function resolveLimits(entry: LimitsEntry): LimitsConfig {
  return {
    requestsPerMinute: entry.requests_per_minute ?? 600,
    streamsAtOnce: entry.streams_at_once ?? 20,
    videoSubmitsPerMinute: entry.video_submits_per_minute ?? 20,
    publicPerMinute: entry.public_per_minute ?? 120,
    failedAuthPerMinute: entry.failed_auth_per_minute ?? 30,
    chatBodyBytes: entry.chat_body_bytes ?? 32 * MIB,
    imagesPerMinute: entry.images_per_minute ?? 60,
    imageFormBytes: entry.image_form_bytes ?? 64 * MIB,
    bodyBytesInFlight: entry.body_bytes_in_flight ?? 512 * MIB,
    uploadBytesInFlight: entry.upload_bytes_in_flight ?? 1_024 * MIB,
    uploadStallMs: entry.upload_stall_ms ?? 30_000,
    headersMs: entry.headers_ms ?? 30_000,
    requestMs: entry.request_ms ?? 300_000,
    headerBytes: entry.header_bytes ?? 64 * KIB,
    leaseMs: entry.lease_ms ?? 60_000,
    journalMs: entry.journal_ms ?? 5_000,
    sharedLimitsMs: entry.shared_limits_ms ?? 250,
    firstContentMs: entry.first_content_ms ?? 10_000,
    keepAliveMs: entry.keep_alive_ms ?? 15_000,
    freeAnswers: entry.free_answers ?? 10,
    breakerFailures: entry.breaker_failures ?? 5,
    breakerOpenMs: entry.breaker_open_ms ?? 10_000,
    shutdownGraceMs: entry.shutdown_grace_ms ?? 30_000,
    claimsPerMinute: entry.claims_per_minute ?? 10,
    claimsPerDay: entry.claims_per_day ?? 100,
    mirrorsPerMinute: entry.mirrors_per_minute ?? 5,
    receipts: {
      perRecipientAndHour: entry.receipts_per_recipient_hour ?? 3,
      perRecipientAndDay: entry.receipts_per_recipient_day ?? 5,
      perAccountAndDay: entry.receipts_per_account_day ?? 10,
      perHour: entry.receipts_per_hour ?? 200,
    },
  }
}
