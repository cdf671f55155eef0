/**
 * Passkeys: keys in a person's device that sign them in. The device asks its person for a PIN, a finger or a face, so
 * that a passkey is both factors, and no code is asked for behind it. Source: decision 0175 (passkeys).
 */
import type { NewPasskeyAnswer, PasskeyAnswer } from '@svc/contract'
import { randomBytes } from 'node:crypto'
import { hashToken } from '../../platform/runtime/hash-token.ts'
import {
  askForNewPasskey,
  askForPasskey,
  challengeOf,
  proveNewPasskey,
  provePasskey,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from './passkey-ceremonies.ts'
import type { Challenge, OwnPasskey, PasskeyStore, StoredPasskey } from './passkey-store.ts'
import { type AddressObstacle, type RelyingParty, relyingPartyOf } from './relying-party.ts'
import type { Session } from './sign-in.ts'

/** Passkeys of one person at most. Source: own choice. */
const PASSKEYS_MAX = 20
/** How long a browser may take to answer, in milliseconds. Source: W3C Web Authentication, section 15.1: 5 minutes. */
const CHALLENGE_MS = 5 * 60_000
/** Source: W3C Web Authentication, section 13.4.3: at least 16 bytes. */
const CHALLENGE_BYTES = 32
const ID_BYTES = 16

export interface PasskeyDeps {
  readonly store: PasskeyStore
  /** Origins by which browsers may reach the console. Asked at each call: a free port is known late. */
  readonly origins: () => readonly string[]
  /** What the gateway is called. */
  readonly brand: () => Promise<string>
  /** Whether the operator lets people sign in by one. */
  readonly isAllowed: () => Promise<boolean>
  readonly now: () => number
  /** Called where a device's counter went back: another device has a copy of the key. */
  readonly onCopied: (passkey: OwnPasskey) => void
}

/** A passkey as its person sees it. Times in milliseconds since the epoch. */
export interface Passkey extends Pick<StoredPasskey, 'passkeyId' | 'name' | 'addedAt' | 'lastUsedAt' | 'isBackedUp'> {
  /** False where it was made for another address of the gateway, and while the operator has turned passkeys off. */
  readonly isUsable: boolean
}

export type AddPasskeyOutcome =
  | { readonly kind: 'added'; readonly passkeyId: string }
  /** The challenge was not given to this session, was answered, or its time is over. */
  | { readonly kind: 'wrong_challenge' }
  /** The answer proves no passkey whose device knows its person. */
  | { readonly kind: 'not_proven' }
  | { readonly kind: 'taken' }
  | { readonly kind: 'too_many' }

export type EnterOutcome =
  | { readonly kind: 'entered'; readonly userId: string }
  | { readonly kind: 'wrong_challenge' | 'unknown_passkey' | 'not_proven' | 'copied' }

/** Why people come in by none; `turned_off`: the operator has said so. */
export type PasskeyObstacle = AddressObstacle | 'turned_off'

export interface Passkeys {
  /** Why this gateway has none; null where it has. */
  obstacle(): Promise<PasskeyObstacle | null>
  /** Oldest first. */
  list(userId: string): Promise<readonly Passkey[]>
  /** What the browser is asked for to make one. Null where the person has as many as they may. */
  begin(session: Session): Promise<PublicKeyCredentialCreationOptionsJSON | null>
  /** Takes what the browser has made. The challenge counts once, whatever becomes of it. */
  add(session: Session, made: { readonly name: string; readonly answer: NewPasskeyAnswer }): Promise<AddPasskeyOutcome>
  /** Returns false where the person has no such passkey. */
  rename(own: OwnPasskey, name: string): Promise<boolean>
  /**
   * Never takes the last way in. Of two ways that are removed at the same time each leaves the other, or comes back.
   *
   * @param hasOtherWay whether the person can come in without any passkey; asked again afterwards.
   */
  remove(own: OwnPasskey, hasOtherWay: () => Promise<boolean>): Promise<'removed' | 'unknown' | 'last_way_in'>
  /** What a browser is asked for to sign in. @param browser a random text that this browser alone has. */
  beginEntry(browser: string): Promise<PublicKeyCredentialRequestOptionsJSON>
  /** Says whom a passkey signs in. The challenge counts once, whatever becomes of it. */
  enter(browser: string, answer: PasskeyAnswer): Promise<EnterOutcome>
}

export function createPasskeys(deps: PasskeyDeps): Passkeys {
  const { store, now } = deps
  /** @throws where the gateway has none: the edge asks `obstacle` before. */
  const party = (): RelyingParty => {
    const found = relyingPartyOf(deps.origins())
    if (typeof found === 'string') throw new Error(`no passkeys: ${found}`)
    return found
  }
  const isOurs = ({ rpId }: StoredPasskey): boolean => {
    const found = relyingPartyOf(deps.origins())
    return typeof found !== 'string' && found.id === rpId
  }
  const isUsable = async (passkey: StoredPasskey): Promise<boolean> => isOurs(passkey) && (await deps.isAllowed())
  const writeChallenge = async (flow: Challenge['flow']): Promise<string> => {
    const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url')
    await store.writeChallenge({ hash: hashToken(challenge), flow, expiresAt: now() + CHALLENGE_MS }, now())
    return challenge
  }
  const takeChallenge = async (flow: Challenge['flow'], answer: Parameters<typeof challengeOf>[0]) => {
    const challenge = challengeOf(answer)
    if (challenge === null) return null
    return (await store.takeChallenge({ hash: hashToken(challenge), flow }, now())) ? challenge : null
  }
  return {
    obstacle: async () => {
      const found = relyingPartyOf(deps.origins())
      if (typeof found === 'string') return found
      return (await deps.isAllowed()) ? null : 'turned_off'
    },
    list: async (userId) => {
      const isAllowed = await deps.isAllowed()
      return (await store.list(userId)).map((passkey) => {
        const { passkeyId, name, addedAt, lastUsedAt, isBackedUp } = passkey
        return { passkeyId, name, addedAt, lastUsedAt, isBackedUp, isUsable: isAllowed && isOurs(passkey) }
      })
    },
    begin: async ({ sessionId, user }) => {
      const known = await store.list(user.userId)
      if (known.length >= PASSKEYS_MAX) return null
      const challenge = await writeChallenge({ sessionId })
      const asking = { party: party(), challenge, timeoutMs: CHALLENGE_MS }
      return askForNewPasskey({ ...asking, user, brand: await deps.brand(), known: known.filter(isOurs) })
    },
    add: async ({ sessionId, user }, { name, answer }) => {
      const challenge = await takeChallenge({ sessionId }, answer)
      if (challenge === null) return { kind: 'wrong_challenge' }
      const ours = party()
      const proven = await proveNewPasskey({ party: ours, challenge }, answer)
      if (proven === null) return { kind: 'not_proven' }
      const passkeyId = randomBytes(ID_BYTES).toString('hex')
      const own = { passkeyId, userId: user.userId, name, rpId: ours.id, addedAt: now(), lastUsedAt: null }
      const kind = await store.insert({ ...proven, ...own }, PASSKEYS_MAX)
      return kind === 'inserted' ? { kind: 'added', passkeyId } : { kind }
    },
    rename: (own, name) => store.rename(own, name),
    remove: async (own, hasOtherWay) => {
      const before = (await store.list(own.userId)).find(({ passkeyId }) => passkeyId === own.passkeyId)
      if (before === undefined) return 'unknown'
      const isLast = async (): Promise<boolean> => {
        const others = (await store.list(own.userId)).filter(({ passkeyId }) => passkeyId !== own.passkeyId)
        return !others.some(isOurs) && !(await hasOtherWay())
      }
      // One that works no more is no way in.
      const isWay = await isUsable(before)
      if (isWay && (await isLast())) return 'last_way_in'
      if (!(await store.remove(own))) return 'unknown'
      if (!isWay || !(await isLast())) return 'removed'
      await store.insert(before, PASSKEYS_MAX)
      return 'last_way_in'
    },
    beginEntry: async (browser) => {
      const challenge = await writeChallenge({ browserHash: hashToken(browser) })
      return askForPasskey({ party: party(), challenge, timeoutMs: CHALLENGE_MS })
    },
    enter: async (browser, answer) => {
      const challenge = await takeChallenge({ browserHash: hashToken(browser) }, answer)
      if (challenge === null) return { kind: 'wrong_challenge' }
      const passkey = await store.find(answer.id)
      if (passkey === null) return { kind: 'unknown_passkey' }
      const use = await provePasskey({ party: party(), challenge }, passkey, answer)
      if (use === null) return { kind: 'not_proven' }
      const { userId, passkeyId } = passkey
      if (await store.noteUse(passkeyId, use, now())) return { kind: 'entered', userId }
      // Its person may have removed it in this moment.
      if ((await store.find(answer.id)) === null) return { kind: 'unknown_passkey' }
      deps.onCopied({ userId, passkeyId })
      return { kind: 'copied' }
    },
  }
}
