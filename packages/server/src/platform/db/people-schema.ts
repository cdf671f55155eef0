/** The tables of people: who signs in, who belongs to which team, who operates the gateway. */
import type { Generated } from 'kysely'

/** A person, as the sign-in library keeps them. Its other tables are its own. */
export interface SignInUserTable {
  id: string
  name: string
  email: string
}

/** Wrong passwords of one account, known browser or person. */
export interface SignInAttemptTable {
  name_hash: string
  failures: number
  /** No password is looked at before. */
  wait_until: number
  last_at: number
}

/** What an authenticator app of a person knows. */
interface SecondFactorTable {
  user_id: string
  /** Sealed. */
  secret: string
  created_at: number
  confirmed_at: number | null
  /** The step of the last code that counted. */
  last_step: Generated<number>
}

interface RecoveryCodeTable {
  user_id: string
  code_hash: string
  used_at: number | null
}

interface ProvenSessionTable {
  session_id: string
  proven_at: number
}

/** A passkey, which signs its person in. */
interface PasskeyTable {
  passkey_id: string
  user_id: string
  /** In base64url. */
  credential_id: string
  /** COSE, in base64url. */
  public_key: string
  counter: number
  /** The name of the gateway that it was made for. */
  rp_id: string
  /** With commas between. */
  transports: string
  is_backed_up: 0 | 1
  name: string
  added_at: number
  last_used_at: number | null
}

/** What a device is to sign. Either a session or a browser may answer it. */
interface PasskeyChallengeTable {
  challenge_hash: string
  session_id: Generated<string | null>
  browser_hash: Generated<string | null>
  expires_at: number
}

/** The tables of second factors, and of passkeys, which are both factors. */
export interface FactorTables {
  passkey: PasskeyTable
  passkey_challenge: PasskeyChallengeTable
  second_factor: SecondFactorTable
  recovery_code: RecoveryCodeTable
  proven_session: ProvenSessionTable
}

/** A terminal that asks to be signed in. */
export interface DeviceRequestTable {
  device_hash: string
  user_hash: string
  device_name: string
  wants_keys: 0 | 1
  address: string
  created_at: number
  expires_at: number
  state: Generated<'waiting' | 'approved' | 'denied'>
  approval_id: string | null
  pepper_version: number | null
}

export interface OperatorTable {
  user_id: string
  created_at: number
}

export interface FirstRunTokenTable {
  token_hash: string
  created_at: number
}

/** What an operator sets while the gateway runs. */
/** What operators tell everybody who signs in. */
export interface AnnouncementTable {
  announcement_id: string
  kind: 'news' | 'maintenance'
  title: string
  body: string
  starts_at: number
  /** Never null for a maintenance. */
  ends_at: number | null
  created_at: number
  created_by: string
  /** Null unless an operator has taken it back. */
  withdrawn_at: Generated<number | null>
}

export interface GatewaySettingTable {
  name: string
  /** JSON text. */
  value: string
  updated_at: number
  updated_by: string | null
}

/** Whether the store holds live money or test money: one row. */
export interface StoreKindTable {
  store_id: 1
  kind: 'live' | 'test'
  stamped_at: number
}

export interface TeamMemberTable {
  team_id: string
  user_id: string
  role: 'owner' | 'admin' | 'billing' | 'member' | 'viewer'
  created_at: number
}

export interface TeamInvitationTable {
  invitation_id: string
  team_id: string
  email: string
  role: 'admin' | 'billing' | 'member' | 'viewer'
  /** SHA-256 of the token in the link, as hex digits. */
  token_hash: string
  invited_by: string
  created_at: number
  expires_at: number
  accepted_at: number | null
  /** The person who took it. */
  accepted_by: Generated<string | null>
  revoked_at: number | null
}

/** What an operator did. Written before the action; only its outcome is noted later, once. */
export interface OperatorActionTable {
  action_id: string
  acted_at: number
  /** The person's id; null for a command of the machine. */
  operator_id: string | null
  operator_name: string
  way: 'console' | 'command' | 'start'
  action: string
  account_id: string | null
  subject: string | null
  reason: string | null
  /** JSON text. */
  details: string
  /** Null while it is under way, and for good where its process died. */
  outcome: 'done' | 'unchanged' | 'refused' | 'failed' | null
  ended_at: number | null
}

/** An audit that was asked for in the console. One at a time has no end. */
export interface AuditRunTable {
  run_id: string
  started_at: number
  started_by: string
  /** A caller that has not ended by then is dropped. */
  lease_until: number
  ended_at: number | null
  breaches: number | null
  /** JSON text of an `AuditReport`. */
  report: string | null
  failure: string | null
}

/** A team that wants to be notified when its credits run low. */
export interface TeamAlertTable {
  team_id: string
  threshold_nanocredits: bigint
  /** 1 while the balance is below the threshold. */
  is_low: number
  changed_at: number
}
