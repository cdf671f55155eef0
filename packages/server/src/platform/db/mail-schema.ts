/** The tables of emails. */

/** An email. Recipient and content are kept only while it waits to be delivered. */
export interface MailOutboxTable {
  mail_id: string
  kind: 'funding_receipt' | 'sign_in_link' | 'invitation' | 'low_balance'
  /** Null for sign-in emails: they belong to no account. */
  account_id: string | null
  /** What the email is about. One recipient gets one email about it. */
  topic: string
  recipient: string | null
  recipient_hash: string
  /** A sealed `MailContent`; JSON text in emails that are older than migration 0016. */
  content: string | null
  state: 'queued' | 'sent' | 'failed'
  attempts: number
  created_at: number
  next_attempt_at: number
  /** An email that must not come later than this; null where it may. */
  expires_at: number | null
  ended_at: number | null
  /** Why the last attempt failed; never holds an address. */
  error_code: string | null
}

/** A recipient who wants no emails. */
export interface MailSuppressionTable {
  recipient_hash: string
  created_at: number
}

/** One row, locked by a process that counts emails before adding one. */
export interface MailGateTable {
  gate_id: number
  passed_at: number
}
