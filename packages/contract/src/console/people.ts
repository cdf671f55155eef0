import { z } from 'zod'
import { budgetPeriods } from '../balance.ts'
import { isPlainEmailAddress } from '../email-address.ts'
import { creditsNumber } from '../money-schema.ts'
import { teamRoles } from './session.ts'
import { creditsText, teamPath } from './team-keys.ts'

/** Characters of the name of a team, an account or a person at most. Source: decision 0011 (keys), as for keys. */
export const SHOWN_NAME_LENGTH_MAX = 64

/** Control characters and marks that turn the direction of text are in no name. */
const shownName = z
  .string()
  .trim()
  .min(1)
  .max(SHOWN_NAME_LENGTH_MAX)
  .refine((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text), 'expected a name of visible characters.')

export const teamName = z.object({ name: shownName })
export const personName = z.object({ name: shownName })

/** What a new team answers with. */
export const madeTeam = z.object({ id: z.string(), name: z.string() })

export const teamMember = z.object({
  user_id: z.string(),
  name: z.string(),
  email: z.string().nullable().describe('Null for people who came by a wallet and gave none.'),
  role: z.enum(teamRoles),
  joined_at: z.int().describe('Seconds since the epoch.'),
  is_self: z.boolean(),
})

export type TeamMember = z.output<typeof teamMember>

/** Owners first, then by role and by the time of joining. */
export const teamMemberList = z.object({ data: z.array(teamMember) })

export const teamMemberPath = teamPath.extend({ user_id: z.string().min(1).max(64) })

export const memberRole = z.object({ role: z.enum(teamRoles) })

/** What becomes of the keys that a removed member has seen. Their own end at once, whatever it says. */
export const removedMemberQuery = z.object({
  keys: z
    .enum(['keep', 'revoke'])
    .default('keep')
    .describe('`keep` leaves other keys that they have seen for the team’s overlap; `revoke` ends them at once.'),
})

export const plainEmail = z
  .string()
  .trim()
  .refine((text) => isPlainEmailAddress(text), 'expected one plain email address, such as ada@example.com.')

/** Roles that an invitation can give: owners are made among members. */
export const invitedRoles = ['admin', 'billing', 'member', 'viewer'] as const

export const newInvitation = z.object({
  email: plainEmail,
  role: z.enum(invitedRoles),
})

/** An invitation as the team sees it, while it is open or has just ended by time. */
export const teamInvitation = z.object({
  id: z.string(),
  email: z.string(),
  role: z.enum(invitedRoles),
  invited_by: z.string().describe('A name; empty for a person who is gone.'),
  created_at: z.int().describe('Seconds since the epoch.'),
  expires_at: z.int(),
  is_expired: z.boolean().describe('It can be sent again.'),
})

export type TeamInvitation = z.output<typeof teamInvitation>

/** Newest first; those that were taken or withdrawn are not listed. */
export const teamInvitationList = z.object({ data: z.array(teamInvitation) })

export const teamInvitationPath = teamPath.extend({ invitation_id: z.string().min(1).max(64) })

/** Spending cap, alert and what is known of both. */
export const teamSettings = z.object({
  name: z.string(),
  is_personal: z.boolean(),
  cap_credits: creditsNumber.nullable().describe('Null for no cap.'),
  cap_period: z.enum(budgetPeriods),
  cap_used: creditsNumber.describe('In the present period, holds included, counted from when the cap was set.'),
  cap_resets_at: z.int().nullable().describe('Seconds since the epoch; null when it never starts anew.'),
  alert_credits: creditsNumber.nullable().describe('A mail is sent when the balance falls below; null for none.'),
  alert_is_low: z.boolean().describe('Whether the balance is below it now.'),
  alert_can_mail: z.boolean().describe('False where this gateway sends no mail.'),
  rotation_overlap_hours: z
    .int()
    .describe('How long a key still works after a member who has seen its secret lost the right to handle it.'),
  stores_responses: z.boolean().describe('Whether responses are stored for later requests of the team.'),
})

/** Longest time that a key works after a member who has seen it has left, in hours. Source: decision 0095. */
export const ROTATION_OVERLAP_HOURS_MAX = 24

export const rotationOverlap = z.object({
  hours: z.int().min(0).max(ROTATION_OVERLAP_HOURS_MAX).describe('0 ends such keys at once.'),
})

/** Whether responses are stored. */
export const responseStorage = z.object({ is_on: z.boolean() })

export const teamCap = z.object({
  cap: z
    .object({ credits: creditsText, period: z.enum(budgetPeriods) })
    .nullable()
    .describe('Null for no cap.'),
})

export const teamAlert = z.object({ credits: creditsText.nullable().describe('Null for no mail.') })

/** An invitation as the person sees whom it is for. */
export const ownInvitation = z.object({
  id: z.string(),
  team_name: z.string(),
  role: z.enum(invitedRoles),
  invited_by: z.string(),
  expires_at: z.int(),
})

export type OwnInvitation = z.output<typeof ownInvitation>

export const ownInvitationList = z.object({ data: z.array(ownInvitation) })

export const ownInvitationPath = z.object({ invitation_id: z.string().min(1).max(64) })

/** The secret of an invitation's link. In a body, so that no log of addresses has it. */
export const invitationToken = z.object({ token: z.string().min(1).max(256) })

/** What the reader of an invitation email learns before signing in. */
export const invitationView = ownInvitation.extend({
  email: z.string(),
  has_account: z.boolean().describe('True where an account with this address exists.'),
  can_join: z.boolean().describe('False where there is no account and the gateway takes no new people.'),
})

export type InvitationView = z.output<typeof invitationView>

/** The team that the person is in now. */
export const joinedTeam = z.object({ team_id: z.string() })

/** `POST …/erase`: confirms what cannot be undone. */
export const teamErasure = z.object({
  team_name: z.string().max(200).describe('The name of the team, typed by hand.'),
  forfeits_credits: z.boolean().describe('Whether credits that are left are given up.'),
})
