import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { type DueTimes, isDue } from '../db/due.ts'
import type { MailOutboxTable } from '../db/mail-schema.ts'

export type MailKind = MailOutboxTable['kind']
export type MailState = MailOutboxTable['state']

/** How many emails may go out in a time. */
export interface MailWindow {
  /** Whose emails of the same kind are counted. */
  readonly of: 'account' | 'recipient' | 'all'
  readonly max: number
  readonly withinMs: number
}

export interface NewMail {
  readonly mailId: string
  readonly kind: MailKind
  /** Null for a sign-in email. */
  readonly accountId: string | null
  readonly topic: string
  readonly recipient: string
  readonly recipientHash: string
  /** Sealed. */
  readonly content: string
  /** Null where the email may come late. */
  readonly expiresAt: number | null
  /** From when on a round may try it, if its sender has not before. */
  readonly firstAttemptAt: number
  readonly now: number
}

/** An email that waits, with what is needed to send it. */
export interface QueuedMail {
  readonly mailId: string
  readonly kind: MailKind
  readonly recipient: string
  readonly content: string
  readonly attempts: number
  readonly expiresAt: number | null
}

/** An email as an operator sees it: without its recipient and its text. */
export interface MailRecord {
  readonly mailId: string
  readonly kind: MailKind
  readonly accountId: string | null
  readonly topic: string
  readonly state: MailState
  readonly attempts: number
  readonly createdAt: number
  readonly nextAttemptAt: number
  readonly endedAt: number | null
  readonly errorCode: string | null
}

export interface MailPage {
  /** Absent lists all. */
  readonly state?: MailState
  /** Continue after this email. */
  readonly after?: string
  readonly limit: number
}

export interface OutboxStore {
  /**
   * Puts an email into the outbox, unless there is one about the same to the same recipient, or a window is full. One
   * caller at a time, over all processes.
   */
  insert(mail: NewMail, windows: readonly MailWindow[]): Promise<'queued' | 'repeated' | 'throttled'>
  /** When the email was made that has to leave the window before another fits in; null when one fits in. */
  findBlocking(mail: Counted, window: MailWindow): Promise<number | null>
  isSuppressed(recipientHash: string): Promise<boolean>
  /** Returns false when the recipient was suppressed before. */
  suppress(recipientHash: string, now: number): Promise<boolean>
  /** Ids of emails whose time has come, the longest waiting first. */
  listDue(times: DueTimes, limit: number): Promise<readonly string[]>
  /**
   * Takes an email for one attempt: no other process may try it before `until`. Null when it was tried before and is
   * not due, or another process was faster.
   */
  take(mailId: string, times: DueTimes, until: number): Promise<QueuedMail | null>
  /** Notes when an email is tried again, and why it has to be. */
  postpone(mailId: string, nextAttemptAt: number, errorCode: string): Promise<void>
  /** Ends an email and forgets recipient and text. */
  end(mailId: string, outcome: MailOutcomeRow): Promise<void>
  /** Has an email that waits tried at once. Returns false when it does not wait. */
  hurry(mailId: string, now: number): Promise<boolean>
  /** Newest first. */
  list(page: MailPage): Promise<readonly MailRecord[]>
}

export interface MailOutcomeRow {
  readonly state: 'sent' | 'failed'
  readonly errorCode: string | null
  readonly now: number
}

/** Makes the store of emails. */
export function createOutboxStore(database: Database): OutboxStore {
  const { read } = database
  return {
    async insert(mail, windows) {
      const pass = read.updateTable('mail_gate').set({ passed_at: mail.now }).where('gate_id', '=', 1)
      const insert = read
        .insertInto('mail_outbox')
        .values(rowOf(mail))
        .onConflict((conflict) => conflict.doNothing())
      // The email counts itself, so it goes again where it is one too many.
      const withdrawals = windows.map((window) =>
        read
          .deleteFrom('mail_outbox')
          .where('mail_id', '=', mail.mailId)
          .where(countWithin(database, mail, window), '>', window.max)
          .compile(),
      )
      const [, inserted = 0, ...withdrawn] = await database.write([pass.compile(), insert.compile(), ...withdrawals])
      if (withdrawn.some((rows) => rows > 0)) return 'throttled'
      return inserted === 0 ? 'repeated' : 'queued'
    },
    async findBlocking(mail, window) {
      const row = await read
        .selectFrom('mail_outbox')
        .select('created_at')
        .where((where) => where.and([isCounted(mail, window)]))
        .orderBy('created_at', 'desc')
        .offset(window.max - 1)
        .limit(1)
        .executeTakeFirst()
      return row?.created_at ?? null
    },
    async isSuppressed(recipientHash) {
      const row = await read
        .selectFrom('mail_suppression')
        .select('recipient_hash')
        .where('recipient_hash', '=', recipientHash)
        .executeTakeFirst()
      return row !== undefined
    },
    async suppress(recipientHash, now) {
      const insert = read
        .insertInto('mail_suppression')
        .values({ recipient_hash: recipientHash, created_at: now })
        .onConflict((conflict) => conflict.doNothing())
      const [inserted] = await database.write([insert.compile()])
      return inserted === 1
    },
    async listDue(times, limit) {
      const rows = await read
        .selectFrom('mail_outbox')
        .select('mail_id')
        .where('state', '=', 'queued')
        .where(isDue('next_attempt_at', times))
        .orderBy('next_attempt_at')
        .limit(limit)
        .execute()
      return rows.map((row) => row.mail_id)
    },
    async take(mailId, times, until) {
      const take = read
        .updateTable('mail_outbox')
        .set((set) => ({ attempts: set('attempts', '+', 1), next_attempt_at: until }))
        .where('mail_id', '=', mailId)
        .where('state', '=', 'queued')
        .where((where) => where.or([where('attempts', '=', 0), isDue('next_attempt_at', times)]))
      const [taken] = await database.write([take.compile()])
      return taken === 1 ? findQueued(database, mailId) : null
    },
    async postpone(mailId, nextAttemptAt, errorCode) {
      await database.write([
        read
          .updateTable('mail_outbox')
          .set({ next_attempt_at: nextAttemptAt, error_code: errorCode })
          .where('mail_id', '=', mailId)
          .where('state', '=', 'queued')
          .compile(),
      ])
    },
    async end(mailId, { state, errorCode, now }) {
      await database.write([
        read
          .updateTable('mail_outbox')
          .set({ state, error_code: errorCode, ended_at: now, recipient: null, content: null })
          .where('mail_id', '=', mailId)
          .where('state', '=', 'queued')
          .compile(),
      ])
    },
    async hurry(mailId, now) {
      const hurry = read
        .updateTable('mail_outbox')
        .set({ next_attempt_at: now })
        .where('mail_id', '=', mailId)
        .where('state', '=', 'queued')
      const [hurried] = await database.write([hurry.compile()])
      return hurried === 1
    },
    list: ({ state, after, limit }) =>
      read
        .selectFrom('mail_outbox')
        .select(recordColumns)
        .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'queued'))
        .$if(after !== undefined, (query) => query.where('mail_id', '<', after ?? ''))
        .orderBy('mail_id', 'desc')
        .limit(limit)
        .execute(),
  }
}

const recordColumns = [
  'mail_id as mailId',
  'kind',
  'account_id as accountId',
  'topic',
  'state',
  'attempts',
  'created_at as createdAt',
  'next_attempt_at as nextAttemptAt',
  'ended_at as endedAt',
  'error_code as errorCode',
] as const

function rowOf(mail: NewMail): MailOutboxTable {
  return {
    mail_id: mail.mailId,
    kind: mail.kind,
    account_id: mail.accountId,
    topic: mail.topic,
    recipient: mail.recipient,
    recipient_hash: mail.recipientHash,
    content: mail.content,
    state: 'queued',
    attempts: 0,
    created_at: mail.now,
    next_attempt_at: mail.firstAttemptAt,
    expires_at: mail.expiresAt,
    ended_at: null,
    error_code: null,
  }
}

/** What decides which emails count beside one. */
export type Counted = Pick<NewMail, 'kind' | 'accountId' | 'recipientHash' | 'now'>

/** The condition by which an email counts in a window. */
function isCounted({ kind, accountId, recipientHash, now }: Counted, { of, withinMs }: MailWindow) {
  const since = now - withinMs
  if (of === 'account') return sql<boolean>`kind = ${kind} and account_id = ${accountId} and created_at > ${since}`
  if (of === 'recipient') {
    return sql<boolean>`kind = ${kind} and recipient_hash = ${recipientHash} and created_at > ${since}`
  }
  return sql<boolean>`kind = ${kind} and created_at > ${since}`
}

function countWithin({ read }: Database, mail: Counted, window: MailWindow) {
  return read
    .selectFrom('mail_outbox as other')
    .select((select) => select.fn.countAll<number>().as('emails'))
    .where((where) => where.and([isCounted(mail, window)]))
}

async function findQueued({ read }: Database, mailId: string): Promise<QueuedMail | null> {
  const row = await read
    .selectFrom('mail_outbox')
    .select(['mail_id as mailId', 'kind', 'recipient', 'content', 'attempts', 'expires_at as expiresAt'])
    .where('mail_id', '=', mailId)
    .where('state', '=', 'queued')
    .executeTakeFirst()
  if (row === undefined || row.recipient === null || row.content === null) return null
  return { ...row, recipient: row.recipient, content: row.content }
}
