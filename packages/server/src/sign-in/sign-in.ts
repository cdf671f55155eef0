/**
 * Room `sign-in`: who somebody is. It wraps the sign-in library, so that nothing else knows which one it is, and knows
 * nothing of teams, roles or credits. Source: decision 0040 (sign-in).
 */

/** Where a browser signs out, below the path of the sign-in pages. */
export const SIGN_OUT_PATH = '/sign-out'

/** A person. */
export interface User {
  readonly userId: string
  readonly email: string
  /** False for people who came by a wallet and gave no address yet. */
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
  close(): Promise<void>
}

/**
 * For so long after signing in a session may do what must be asked for again later: making keys, raising budgets,
 * linking wallets. Source: decision 0040 (sign-in).
 */
export const FRESH_MS = 10 * 60_000

export function isFresh(session: Session, now: number): boolean {
  return now - session.signedInAt <= FRESH_MS
}
