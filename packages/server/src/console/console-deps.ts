import type { ConsoleSession } from '@svc/contract'
import type { Idempotency } from '../admission/idempotency/idempotency.ts'
import type { GatewaySettings } from '../access/operators/gateway-settings.ts'
import type { Passkeys } from '../access/sign-in/passkeys.ts'
import type { SecondFactors } from '../access/sign-in/second-factors.ts'
import type { SignIn } from '../access/sign-in/sign-in.ts'
import type { DeviceSignInDeps } from '../access/devices/device-sign-in.ts'
import type { LimitDeps } from '../access/keys/account-limits.ts'
import type { PlaygroundKeys } from '../access/keys/playground-keys.ts'
import type { TeamKeys } from '../access/keys/team-keys.ts'
import type { InvitationDeps } from '../access/teams/invitations.ts'
import type { ManageMembersDeps } from '../access/teams/manage-members.ts'
import type { Membership } from '../access/teams/membership.ts'
import type { Permission } from '../access/teams/permissions.ts'
import type { TeamSettingsDeps } from '../access/teams/team-settings.ts'
import type { RateLimit } from '../admission/limits/rate-limit.ts'

/** What the console's routes are given. */
export interface ConsoleDeps {
  /** Loads the sign-in library on first use: it is slow to load, and a start must not wait for it. */
  readonly signIn: () => Promise<SignIn>
  readonly factors: SecondFactors
  readonly passkeys: Passkeys
  /** @throws {ServiceError} 404 for a person who is no member, 403 where the role does not reach. */
  readonly authorize: (userId: string, teamId: string, permission: Permission) => Promise<Membership>
  readonly teamsOf: (person: { readonly userId: string; readonly name: string }) => Promise<readonly Membership[]>
  readonly keys: TeamKeys
  /** What limits the keys of an account. */
  readonly limits: LimitDeps
  readonly playgroundKeys: PlaygroundKeys
  readonly people: PeopleDeps
  readonly isOperator: (userId: string) => Promise<boolean>
  readonly hasOperator: () => Promise<boolean>
  readonly settings: () => Promise<GatewaySettings>
  /** What does not change while the gateway runs. */
  readonly offers: Pick<
    ConsoleSession['gateway'],
    'api_base_url' | 'is_sandbox' | 'has_local_chains' | 'mail_folder'
  > & {
    readonly demo: boolean
    readonly link: boolean
  }
  /** Origins by which browsers may reach the console: only their pages may change anything. */
  readonly origins: () => readonly [string, ...string[]]
  /** Requests that create something and carry a name, by person. */
  readonly idempotency: Idempotency
  /** Calls of one person. */
  readonly perUser: RateLimit
  /** Keys that one person's playgrounds ask for. */
  readonly perPlayer: RateLimit
  /** Emails that one person asks for, to addresses of their choice. */
  readonly perEmail: RateLimit
  /** Terminals that ask to be signed in. */
  readonly devices: DeviceSignInDeps
  /** Codes of terminals that one person types. */
  readonly perDevice: RateLimit
  /** Passkeys that one person begins to add. */
  readonly perPasskey: RateLimit
  /** Passwords that one person tries. */
  readonly perPassword: RateLimit
}

/** What the routes about teams and their people are given. */
export interface PeopleDeps {
  readonly members: ManageMembersDeps
  readonly invitations: InvitationDeps
  readonly settings: TeamSettingsDeps
  /** False for the placeholder of people who came by a wallet. */
  readonly hasMailbox: (email: string) => boolean
  /** Whether a person with this address, who has no account yet, may get one. */
  readonly mayJoin: (email: string) => Promise<boolean>
}
