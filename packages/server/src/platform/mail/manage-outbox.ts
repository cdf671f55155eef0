import type { Clock } from '../runtime/clock.ts'
import type { MailPage, MailRecord, OutboxStore } from './outbox-store.ts'
import { hashRecipient } from './recipient-hash.ts'

/** Emails on one page at most. */
export const MAIL_PAGE_MAX = 200

export interface ManageOutboxDeps {
  readonly store: OutboxStore
  readonly clock: Clock
  /** The same that the gateway hashes recipients with. */
  readonly secret: string
}

/** Lists emails newest first, without recipients and texts, at most `MAIL_PAGE_MAX`. */
export function listMail({ store }: Pick<ManageOutboxDeps, 'store'>, page: MailPage): Promise<readonly MailRecord[]> {
  return store.list({ ...page, limit: Math.min(page.limit, MAIL_PAGE_MAX) })
}

/** Has a waiting email tried in the next round. Returns false when there is no waiting email with this id. */
export function hurryMail(
  { store, clock }: Pick<ManageOutboxDeps, 'store' | 'clock'>,
  mailId: string,
): Promise<boolean> {
  return store.hurry(mailId, clock.now())
}

/**
 * Has no email ever sent to a recipient again. Returns false when that was so before.
 *
 * @param address a plain address.
 */
export function suppressRecipient({ store, clock, secret }: ManageOutboxDeps, address: string): Promise<boolean> {
  return store.suppress(hashRecipient(address, secret), clock.now())
}

export type { MailPage, MailRecord } from './outbox-store.ts'
