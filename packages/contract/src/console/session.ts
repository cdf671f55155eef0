import { z } from 'zod'

export const teamRoles = ['owner', 'admin', 'billing', 'member', 'viewer'] as const
export type TeamRole = (typeof teamRoles)[number]

/** Whose the sandbox's demo user is. */
export const DEMO_EMAIL = 'demo@sandbox.invalid'

/** What can be done in a team. */
export const teamPermissions = [
  /** See the balance, the team and its members. */
  'team:read',
  /** Rename the team, set its spending cap and its alerts. */
  'team:manage',
  /** Invite, change roles, remove. */
  'members:manage',
  /** Make keys, and see, change and revoke one's own. */
  'keys:own',
  /** See, change and revoke all members' keys. */
  'keys:all',
  /** Set how long keys still work whose secret a former manager has seen. */
  'keys:rotation',
  /** See one's own requests. */
  'usage:own',
  /** See all members' requests, statements and exports. */
  'usage:all',
  /** Deposit addresses, claims, wallets, receipts. */
  'deposits:manage',
  /** Spend credits in the playground. */
  'play',
  /** Export all that is stored about the account, and erase it. */
  'account:data',
] as const
export type TeamPermission = (typeof teamPermissions)[number]

/** A team as the person who is signed in sees it. */
export const consoleTeam = z.object({
  id: z.string(),
  account_id: z.string(),
  name: z.string(),
  role: z.enum(teamRoles),
  permissions: z.array(z.enum(teamPermissions)).describe('What the role may do; pages show only that.'),
  is_personal: z.boolean(),
  is_suspended: z.boolean(),
})

export type ConsoleTeam = z.output<typeof consoleTeam>

/** What the pages need to know about the gateway before a person signs in. */
export const consoleGateway = z.object({
  brand: z.string(),
  /** Addresses that clients use; ends in `/api/v1`. */
  api_base_url: z.string(),
  terms_url: z.string().nullable(),
  is_sandbox: z.boolean().describe('True where no real upstream is asked: then everything is test money.'),
  has_local_chains: z
    .boolean()
    .describe('Deposits come from chains on the gateway’s own machine: whatever arrives there is test money.'),
  mail_folder: z.string().nullable().describe('Where emails are while no mail server is set up; null otherwise.'),
  sign_in: z.object({
    demo: z.boolean().describe('One click signs the demo user in.'),
    link: z.boolean().describe('A mail with a link can be sent.'),
    password: z.boolean(),
    wallet: z.boolean(),
    passkey: z
      .boolean()
      .describe('False where the gateway’s address gets no passkeys of browsers, or the operator has turned them off.'),
    first_run: z
      .boolean()
      .describe('True while the gateway has no operator: the link that it printed at its start makes one.'),
  }),
  signup: z.enum(['closed', 'invite', 'open']),
})

export const consoleUser = z.object({
  id: z.string(),
  name: z.string(),
  email: z.string().nullable().describe('Null for people who came by a wallet and gave none.'),
  is_operator: z.boolean(),
  session_id: z.string(),
  fresh_until: z.int().describe('Seconds since the epoch: until then nothing asks to sign in again.'),
})

/** `GET /console/session`: where a visit begins. */
export const consoleSession = z.object({
  gateway: consoleGateway,
  user: consoleUser.nullable().describe('Null without a session.'),
  teams: z.array(consoleTeam).describe('Oldest first; empty without a session.'),
})

export type ConsoleSession = z.output<typeof consoleSession>

/** A signed-in browser. */
export const browserSession = z.object({
  id: z.string(),
  is_current: z.boolean(),
  user_agent: z.string().nullable(),
  address: z.string().nullable(),
  signed_in_at: z.int().describe('Seconds since the epoch.'),
  expires_at: z.int(),
})

export const browserSessionList = z.object({ data: z.array(browserSession) })

export const sessionPath = z.object({ session_id: z.string().min(1).max(64) })

/** Nothing more to say than that it was done. */
export const doneReply = z.object({ done: z.literal(true) })
