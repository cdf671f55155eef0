/** The tables of keys. */
import type { Generated } from 'kysely'

/** Whose a key is: a person's, the team's, or a page's of the console. */
export type KeyKind = 'personal' | 'service' | 'playground'

export interface ApiKeyTable {
  key_id: string
  team_id: string
  account_id: string
  /** Every key has a budget row, capped or not, since it counts the key's spending. */
  budget_id: string
  name: string
  /** HMAC-SHA-256 of the raw key as 64 hex digits. */
  key_hash: string
  pepper_version: number
  /** First characters and last four of the raw key, for people to recognise it. */
  display: string
  /** Space-separated: `inference`, `deposits`, `keys`. */
  rights: string
  /** JSON array of model ids; null allows all. */
  models: string | null
  expires_at: number | null
  revoked_at: number | null
  created_at: number
  /** Rounded down to the hour. */
  last_used_at: number | null
  /** Who made it in the console, and whose it is unless it is a service key; null for an operator's command. */
  created_by: Generated<string | null>
  kind: Generated<KeyKind>
  /** The signed-in browser that a key of the playground ends with; null for every other key. */
  session_id: Generated<string | null>
  /** The key through which this one was mirrored; null for a key that was made here. */
  mirrored_by: string | null
  /** A limit of its own; null for that of its account. */
  requests_per_minute: Generated<number | null>
  /** When what the key may do was changed last; null for never. */
  changed_at: Generated<number | null>
  /** When it ends because a member who has seen its secret may not handle it any more; null where it does not. */
  rotate_by: Generated<number | null>
}

/** Who has seen the secret of a key in the console. */
export interface KeyReaderTable {
  key_id: string
  user_id: string
  seen_at: number
}

/** A view: members whose role lets them have keys of their own. */
export interface TeamKeyHolderView {
  team_id: string
  user_id: string
}
