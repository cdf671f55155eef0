/** The tables of people: who signs in, who belongs to which team, who operates the gateway. */

/** A person, as the sign-in library keeps them. Its other tables are its own. */
export interface SignInUserTable {
  id: string
  name: string
  email: string
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
export interface GatewaySettingTable {
  name: string
  /** JSON text. */
  value: string
  updated_at: number
  updated_by: string | null
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
  revoked_at: number | null
}
