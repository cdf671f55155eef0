/**
 * Room `sign-in`: who a person is. It wraps the sign-in library, so that nothing else knows which one it is, and knows
 * nothing of teams, roles or credits. Source: decision 0040 (sign-in).
 */
import type { NewPasskeyMail } from './sign-in-policy.ts'

/** Where a browser signs out, below the path of the sign-in pages. */
export const SIGN_OUT_PATH = '/sign-out'

/** A person. */
export interface User {
  readonly userId: string
  readonly email: string
  /** False for people who came by a wallet and gave no address. */
  readonly hasEmail: boolean
  readonly name: string
}

/** One signed-in browser. Times in milliseconds since the epoch. */
export interface Session {
  readonly sessionId: string
  readonly user: User
  readonly signedInAt: number
  readonly expiresAt: number
}

/** A session as its owner sees it in the list. */
export interface SessionSummary {
  readonly sessionId: string
  readonly userAgent: string | null
  readonly address: string | null
  readonly signedInAt: number
  readonly expiresAt: number
}

/** A wallet that signs its owner in. */
export interface SignInWallet {
  readonly walletId: string
  /** With the checksum of ERC-55. */
  readonly address: string
  readonly chainId: number
  readonly linkedAt: number
}

export type LinkWalletOutcome =
  | 'linked'
  /** It is no message that was given to this person, or its time is over. */
  | 'wrong_message'
  | 'wrong_signature'
  /** It signs in another person, or is known on another chain where its code may belong to another person. */
  | 'taken'
  | 'too_many'
  /** The session ended while the wallet was asked. */
  | 'signed_out'

export type ProveEmailOutcome =
  | 'proven'
  /** It was used, is over, or was given to another person. */
  | 'wrong_token'
  /** It signs in another person. */
  | 'taken'
  /** The person has an address; it is not exchanged. */
  | 'has_one'

export interface SignIn {
  /**
   * Answers a request of the sign-in pages: links, passwords, wallets, the end of a session. Anything that is not
   * offered is 404.
   */
  answer(request: Request): Promise<Response>
  /** The session of a cookie; null where there is none, or it has ended. Read from the database at every call. */
  findSession(cookie: string | undefined): Promise<Session | null>
  /** Newest first. */
  listSessions(userId: string): Promise<readonly SessionSummary[]>
  /** Ends a session of this user. Returns false where there is none. */
  endSession(userId: string, sessionId: string): Promise<boolean>
  /** Ends all sessions of a user but one; null ends all. */
  endSessions(userId: string, except: string | null): Promise<void>
  findUser(userId: string): Promise<User | null>
  findUserByEmail(email: string): Promise<User | null>
  /** @param name as it was typed; what cannot be shown is left out. */
  rename(userId: string, name: string): Promise<void>
  hasPassword(userId: string): Promise<boolean>
  /**
   * Sets or changes the password. Returns false where there is one and `current` is not it.
   *
   * @throws {ServiceError} `rate_limit_exceeded` after several wrong ones.
   */
  setPassword(userId: string, passwords: { readonly current: string | null; readonly next: string }): Promise<boolean>
  /**
   * Sends an email to an address that a person without one wants to add, after the answer: a stranger does not learn by
   * its time whether the address is known.
   */
  askForEmail(user: User, email: string): void
  /** Takes the address that a link was sent to, for the person who asked for it alone. */
  proveEmail(user: User, token: string): Promise<ProveEmailOutcome>
  /** Oldest first. */
  listWallets(userId: string): Promise<readonly SignInWallet[]>
  /** The message that a wallet signs to be added to a person; its signature counts once. */
  challengeWallet(user: User, wallet: WalletPlace): Promise<{ readonly message: string; readonly expiresAt: number }>
  /** Asks for the session again before the wallet is written. */
  linkWallet(
    session: Session,
    signed: { readonly message: string; readonly signature: string },
  ): Promise<LinkWalletOutcome>
  /**
   * Never takes the last way in. Returns false where there is no such wallet, or it is that.
   *
   * @param hasOtherWay whether the person can come in without any wallet; asked again afterwards.
   */
  unlinkWallet(user: User, walletId: string, hasOtherWay: () => Promise<boolean>): Promise<boolean>
  /** Tells a person of a passkey that was added, after the answer. */
  sendNewPasskey(mail: NewPasskeyMail): void
  /** Waits for emails that are being written. */
  close(): Promise<void>
}

export interface WalletPlace {
  readonly address: string
  readonly chainId: number
}

/**
 * For so long after signing in a session may do what must be asked for again later: making keys, raising budgets,
 * linking wallets. Source: decision 0040 (sign-in).
 */
export const FRESH_MS = 10 * 60_000

export function isFresh(session: Session, now: number): boolean {
  return now - session.signedInAt <= FRESH_MS
}

/** Addresses of people who came by a wallet end in it. No mailbox exists there. Source: RFC 2606, section 2. */
export const WALLET_EMAIL_DOMAIN = 'wallet.invalid'

/** False for the placeholder of a person who signed in by a wallet. */
export function hasMailbox(email: string): boolean {
  return !email.toLowerCase().endsWith(`@${WALLET_EMAIL_DOMAIN}`)
}
