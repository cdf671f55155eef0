/** The tables of letters. */

/** A letter. Recipient and content are kept only while it waits to be delivered. */
export interface MailOutboxTable {
  mail_id: string
  kind: 'funding_receipt'
  account_id: string
  /** What the letter is about. One recipient gets one letter about it. */
  topic: string
  recipient: string | null
  recipient_hash: string
  /** JSON text of a `MailContent`. */
  content: string | null
  state: 'queued' | 'sent' | 'failed'
  attempts: number
  created_at: number
  next_attempt_at: number
  ended_at: number | null
  /** Why the last attempt failed; never holds an address. */
  error_code: string | null
}

/** A recipient who wants no letters. */
export interface MailSuppressionTable {
  recipient_hash: string
  created_at: number
}

/** One row, locked by whoever counts letters before adding one. */
export interface MailGateTable {
  gate_id: number
  passed_at: number
}
