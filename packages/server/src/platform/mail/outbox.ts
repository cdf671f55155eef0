import type { DueTimes } from '../db/due.ts'
import type { Clock } from '../runtime/clock.ts'
import { createId } from '../runtime/ids.ts'
import type { Logger } from '../runtime/log.ts'
import type { MailContent, Mailer, MailOutcome } from './mailer.ts'
import type { Counted, MailKind, MailWindow, OutboxStore, QueuedMail } from './outbox-store.ts'
import { hashRecipient } from './recipient-hash.ts'
import { openEmail, sealEmail } from './sealed-email.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/**
 * Waits after each failed attempt, in milliseconds. After the last an email fails for good: a day and a half in all,
 * which spans an outage of a night. Source: own choice.
 */
export const RETRY_WAITS_MS: readonly number[] = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
  16 * HOUR_MS,
]

/** An attempt that has said nothing for so long is taken for dead, in milliseconds; longer than any attempt lasts. */
const ATTEMPT_MS = 2 * MINUTE_MS

/** No email waits longer than from one attempt to the next. */
function dueAt(now: number): DueTimes {
  return { now, beyond: now + Math.max(...RETRY_WAITS_MS) }
}

/** Emails of one round at most: a long queue is worked off over several. */
const ROUND_MAX = 20

export interface OutboxDeps {
  readonly store: OutboxStore
  readonly mailer: Mailer
  readonly clock: Clock
  readonly log: Logger
  /** Goes into the hash of each recipient, and seals contents. */
  readonly secret: string
  /** How many emails of each kind may go out. Kinds never use up each other's places. */
  readonly windows: Readonly<Record<MailKind, readonly MailWindow[]>>
  /** Called with the end of each attempt: `postponed` is tried again, `failed` is not. */
  readonly onAttempt?: ((outcome: 'sent' | 'postponed' | 'failed') => void) | undefined
}

export interface MailRequest {
  readonly kind: MailKind
  /** Null for a sign-in email. */
  readonly accountId: string | null
  /** What the email is about: one recipient gets one email about it, ever, unless that failed. */
  readonly topic: string
  /** A plain address. */
  readonly recipient: string
  readonly content: MailContent
  /** The email is dropped then; absent where it may come late. Milliseconds since the epoch. */
  readonly expiresAt?: number
}

export type QueueResult =
  | { readonly kind: 'queued'; readonly mailId: string }
  /** The recipient has got, or will get, an email about this. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'throttled'; readonly retryAfterMs: number }
  /** The recipient wants no emails. */
  | { readonly kind: 'suppressed' }

export type DeliveryResult = 'sent' | 'refused' | 'queued'

export type SendResult =
  /** @property delivery the first attempt's end. It never rejects: what fails is logged, and waits as `queued`. */
  | { readonly kind: 'queued'; readonly delivery: Promise<DeliveryResult> }
  | Exclude<QueueResult, { readonly kind: 'queued' }>

/**
 * Puts an email into the outbox and tries it at once. No round tries it beside this call, so the first attempt's end is
 * what the caller learns.
 */
export async function sendMail(deps: OutboxDeps, request: MailRequest): Promise<SendResult> {
  const result = await putIntoOutbox(deps, request, ATTEMPT_MS)
  if (result.kind !== 'queued') return result
  const delivery = deliverMail(deps, result.mailId).catch((error: unknown): DeliveryResult => {
    deps.log.error({ err: error, mail_id: result.mailId }, 'an email could not be tried')
    return 'queued'
  })
  return { kind: 'queued', delivery }
}

/** Puts an email into the outbox, durably, within the limits. The next round tries it. */
export function queueMail(deps: OutboxDeps, request: MailRequest): Promise<QueueResult> {
  return putIntoOutbox(deps, request, 0)
}

/** @param untilRoundsMs how long rounds leave the email to the caller, in milliseconds. */
async function putIntoOutbox(deps: OutboxDeps, request: MailRequest, untilRoundsMs: number): Promise<QueueResult> {
  const { store } = deps
  const now = deps.clock.now()
  const { kind, accountId, topic, recipient, expiresAt = null } = request
  const recipientHash = hashRecipient(recipient, deps.secret)
  if (await store.isSuppressed(recipientHash)) return { kind: 'suppressed' }
  const mailId = createId(now)
  const content = sealEmail(request.content, mailId, deps.secret)
  const firstAttemptAt = now + untilRoundsMs
  const mail = { mailId, kind, accountId, topic, recipient, recipientHash, content, expiresAt, firstAttemptAt, now }
  const result = await store.insert(mail, deps.windows[kind])
  if (result === 'queued') return { kind: 'queued', mailId: mail.mailId }
  return result === 'repeated' ? { kind: 'repeated' } : { kind: 'throttled', retryAfterMs: await waitOf(deps, mail) }
}

/** The time until every window has room again. */
async function waitOf({ store, windows }: OutboxDeps, mail: Counted): Promise<number> {
  const waits = windows[mail.kind].map(async (window) => {
    const blocking = await store.findBlocking(mail, window)
    return blocking === null ? 0 : blocking + window.withinMs - mail.now
  })
  return Math.max(MINUTE_MS, ...(await Promise.all(waits)))
}

/**
 * Tries to deliver an email now. `queued` means that it waits: for its next attempt, or for another process that is
 * trying it.
 *
 * A process that dies between the mail server's answer and its note of it makes an email go out twice, under one
 * `Message-ID`; it never loses one.
 */
export async function deliverMail(deps: OutboxDeps, mailId: string): Promise<DeliveryResult> {
  const { store, clock } = deps
  const times = dueAt(clock.now())
  const mail = await store.take(mailId, times, times.now + ATTEMPT_MS)
  if (mail === null) return 'queued'
  const outcome = await attempt(deps, mail)
  if (outcome.kind === 'accepted') {
    await store.end(mailId, { state: 'sent', errorCode: null, now: clock.now() })
    deps.onAttempt?.('sent')
    return 'sent'
  }
  const wait = RETRY_WAITS_MS[mail.attempts - 1]
  if (outcome.kind === 'failed' && wait !== undefined && !isOver(mail, clock.now() + wait)) {
    await store.postpone(mailId, clock.now() + wait, outcome.code)
    deps.onAttempt?.('postponed')
    return 'queued'
  }
  deps.log.error({ mail_id: mailId, mail_kind: mail.kind, attempts: mail.attempts, reason: outcome.code }, GIVEN_UP)
  await store.end(mailId, { state: 'failed', errorCode: outcome.code, now: clock.now() })
  deps.onAttempt?.('failed')
  return 'refused'
}

const GIVEN_UP = 'an email was not delivered; "npm run admin -- mail list --state failed" shows it'

/** Delivers what is due, up to a round's worth. Any number of processes may do so at a time. */
export async function deliverDueMail(deps: OutboxDeps): Promise<void> {
  for (const mailId of await deps.store.listDue(dueAt(deps.clock.now()), ROUND_MAX)) await deliverMail(deps, mailId)
}

/** An email that has come too late, or cannot be opened any more, is not sent. */
async function attempt(deps: OutboxDeps, mail: QueuedMail): Promise<MailOutcome> {
  if (isOver(mail, deps.clock.now())) return { kind: 'refused', code: 'EEXPIRED' }
  const content = openEmail(mail.content, mail.mailId, deps.secret)
  if (content === null) return { kind: 'refused', code: 'EUNREADABLE' }
  return deps.mailer.send({ ...content, mailId: mail.mailId, recipient: mail.recipient })
}

function isOver({ expiresAt }: QueuedMail, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}
