/** People put together: their teams, invitations, emails and wallets. Part of the composition. */
import type { ChainId, Hex } from '../chain/assets.ts'
import type { ChainReader } from '../chain/chain-reader.ts'
import { proveSignature } from '../chain/prove-signature.ts'
import type { Database } from '../platform/db/database.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { PeopleDeps } from '../console/console-deps.ts'
import { renderAddressEmail, renderAddressTakenEmail } from '../platform/mail/address-emails.ts'
import type { MailContent } from '../platform/mail/mailer.ts'
import { renderNewDeviceEmail } from '../platform/mail/new-device-email.ts'
import { renderNewPasskeyEmail } from '../platform/mail/new-passkey-email.ts'
import { type OutboxDeps, sendMail } from '../platform/mail/outbox.ts'
import { renderSignInEmail } from '../platform/mail/sign-in-email.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { writesOfMember } from '../access/keys/acting-member.ts'
import { hasMailbox } from '../access/sign-in/sign-in.ts'
import type { SignInDeps, WalletSignature } from '../access/sign-in/sign-in-policy.ts'
import { createInvitationStore } from '../access/teams/invitation-store.ts'
import { acceptByToken, findInvitation } from '../access/teams/invitations.ts'
import { createTeamSettingsStore } from '../access/teams/team-settings-store.ts'
import { createTeamStore, type TeamStore } from '../access/teams/team-store.ts'
import { notifyLowBalances } from '../access/teams/notify-low-balances.ts'

export interface PeopleParts {
  readonly database: Database
  readonly clock: Clock
  /** Null where no mail is sent. */
  readonly outbox: OutboxDeps | null
  readonly teams: TeamStore
  /** By chain; those that come later included. */
  readonly chains: ReadonlyMap<ChainId, ChainReader>
  /** By which people reach the console. */
  readonly origin: () => string
  readonly readSettings: () => Promise<{ readonly brand: string; readonly signup: 'closed' | 'invite' | 'open' }>
}

export interface OpenPeople {
  readonly deps: PeopleDeps
  readonly signIn: Pick<
    SignInDeps,
    | 'sendLink'
    | 'sendAddressLink'
    | 'sendAddressTaken'
    | 'sendNewDevice'
    | 'sendNewPasskey'
    | 'verifyWallet'
    | 'findInvited'
    | 'onJoined'
  >
  /** Tells teams whose credits run low; null where no mail is sent. */
  readonly notifyLowBalances: (() => Promise<void>) | null
}

const MINUTE_MS = 60_000
/** So long an email without a link may be on its way. Source: own choice. */
const TAKEN_EMAIL_MS = 60 * MINUTE_MS

export function openPeople(parts: PeopleParts): OpenPeople {
  const { database, clock, outbox, teams } = parts
  const store = createInvitationStore(database)
  const settings = createTeamSettingsStore(database)
  const brand = async (): Promise<string> => (await parts.readSettings()).brand
  const linkOf = (token: string): string => `${parts.origin()}/console/invitation#${token}`
  const invitations = { store, teams, outbox, clock, brand, linkOf }
  return {
    deps: {
      members: { store: teams, clock },
      invitations,
      settings: {
        ...{ store: teams, settings, clock },
        writesOf: (by) => {
          const own = writesOfMember(database, by)
          return { teams: createTeamStore(own), settings: createTeamSettingsStore(own) }
        },
      },
      hasMailbox,
      mayJoin: async (email) => {
        const { signup } = await parts.readSettings()
        return signup === 'open' || (signup === 'invite' && (await store.isInvited(email, clock.now())))
      },
    },
    signIn: {
      sendLink: async (mail) => sendLink(parts, await brand(), mail),
      sendAddressLink: async (mail) => sendAddressLink(parts, await brand(), mail),
      sendAddressTaken: async ({ email }) => {
        const link = `${parts.origin()}/console/sign-in`
        const content = renderAddressTakenEmail({ brand: await brand(), link })
        await sendEmail(parts, { email, content, expiresAt: clock.now() + TAKEN_EMAIL_MS })
      },
      sendNewDevice: async ({ email, ...seen }) => {
        const content = renderNewDeviceEmail({
          ...{ brand: await brand(), link: `${parts.origin()}/console/account` },
          ...seen,
        })
        await sendEmail(parts, { email, content, expiresAt: clock.now() + TAKEN_EMAIL_MS })
      },
      sendNewPasskey: async ({ email, ...added }) => {
        const content = renderNewPasskeyEmail({
          ...{ brand: await brand(), link: `${parts.origin()}/console/account` },
          ...added,
        })
        await sendEmail(parts, { email, content, expiresAt: clock.now() + TAKEN_EMAIL_MS })
      },
      verifyWallet: (signed) => verifyWallet(parts.chains, signed),
      findInvited: async (token) => {
        const found = await findInvitation(invitations, token).catch((error: unknown) => {
          // A link that leads nowhere is no failure here: the page says so.
          if (error instanceof ServiceError && error.status === 404) return null
          throw error
        })
        return found?.email ?? null
      },
      onJoined: async (token, userId) => void (await acceptByToken(invitations, token, userId)),
    },
    notifyLowBalances:
      outbox === null
        ? null
        : () =>
            notifyLowBalances({
              ...{ settings, teams, outbox, clock, hasMailbox },
              linkOf: (teamId) => `${parts.origin()}/console/team/${teamId}/fund`,
            }),
  }
}

/** The page that the email leads to sends the token: opening the link alone uses nothing up. */
async function sendLink(
  { outbox, clock, origin }: PeopleParts,
  brand: string,
  mail: Parameters<SignInDeps['sendLink']>[0],
): Promise<void> {
  const { email, token, next, expiresAt } = mail
  const query = next === null ? '' : `?${new URLSearchParams({ next }).toString()}`
  const link = `${origin()}/console/link${query}#${token}`
  const content = renderSignInEmail({ brand, link, minutes: minutesUntil(expiresAt, clock) })
  await sendEmail({ outbox }, { email, content, expiresAt })
}

async function sendAddressLink(
  { outbox, clock, origin }: PeopleParts,
  brand: string,
  { email, token, expiresAt }: Parameters<SignInDeps['sendAddressLink']>[0],
): Promise<void> {
  const link = `${origin()}/console/confirm-email#${token}`
  const content = renderAddressEmail({ brand, link, minutes: minutesUntil(expiresAt, clock) })
  await sendEmail({ outbox }, { email, content, expiresAt })
}

function minutesUntil(expiresAt: number, clock: Clock): number {
  return Math.round((expiresAt - clock.now()) / MINUTE_MS)
}

/** Sign-in emails share their limits: what one mailbox gets of them in an hour. */
async function sendEmail(
  { outbox }: Pick<PeopleParts, 'outbox'>,
  { email, content, expiresAt }: { readonly email: string; readonly content: MailContent; readonly expiresAt: number },
): Promise<void> {
  if (outbox === null) return
  const result = await sendMail(outbox, {
    kind: 'sign_in_link',
    accountId: null,
    // Each is an email of its own; the name tells nothing of it.
    topic: `sign-in:${crypto.randomUUID()}`,
    recipient: email,
    content,
    expiresAt,
  })
  if (result.kind === 'queued') await result.delivery
}

/** A key's signature is the same on every chain; a contract is asked on its own, where that is one of ours. */
async function verifyWallet(
  chains: PeopleParts['chains'],
  { address, chainId, text, signature }: WalletSignature,
): Promise<'eoa' | 'contract' | null> {
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(signature)) return null
  const reader = [...chains].find(([id]) => id === chainId)?.[1]
  const proof = await proveSignature(reader, {
    address: address.toLowerCase() as Hex,
    message: text,
    signature: signature.toLowerCase() as Hex,
  })
  return proof === 'eoa' || proof === 'contract' ? proof : null
}
