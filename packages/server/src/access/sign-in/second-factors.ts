/**
 * The second factor of a person: a code of an authenticator app, or one of ten recovery codes. Where there is one, a
 * session opens nothing until it is proven, by whichever way the person came in. Source: decision 0167 (second factor).
 */
import { randomBytes } from 'node:crypto'
import { hashToken } from '../../platform/runtime/hash-token.ts'
import { clearAttempts, type PasswordAttemptDeps, takeAttempt } from './password-attempts.ts'
import { openSecret, sealSecret } from './sealed-secret.ts'
import type { SecondFactorStore } from './second-factor-store.ts'
import type { User } from './sign-in.ts'
import { base32, createTotpSecret, findTotpStep, totpAddress } from './totp.ts'

const RECOVERY_CODES = 10
/** 80 bits: hashes of such codes cannot be reversed. */
const RECOVERY_CODE_BYTES = 10
const RECOVERY_GROUP = 4

export interface SecondFactorDeps extends PasswordAttemptDeps {
  readonly store: SecondFactorStore
  /** What the gateway is called. */
  readonly brand: () => Promise<string>
}

/** What an operator's command does to the factor of a person. */
export type FactorRemoval = Pick<SecondFactorStore, 'findPerson' | 'remove'>

export interface FactorState {
  readonly isOn: boolean
  readonly recoveryCodesLeft: number
}

/** What became of a code. */
export type CodeOutcome = 'right' | 'wrong' | { readonly waitSeconds: number }

export interface NewFactor {
  /** For people who type it, in base 32. */
  readonly secret: string
  /** For a QR code. */
  readonly address: string
}

export interface SecondFactors {
  read(userId: string): Promise<FactorState>
  /** Whether a session opens something. */
  isProven(session: { readonly userId: string; readonly sessionId: string }): Promise<boolean>
  /** A secret that counts once a code of it is confirmed. Null where a factor is on. */
  begin(user: User): Promise<NewFactor | null>
  /** Turns the factor on. Returns the recovery codes, which are shown once; else what is wrong with the code. */
  confirm(
    person: { readonly userId: string; readonly sessionId: string },
    code: string,
  ): Promise<readonly string[] | Exclude<CodeOutcome, 'right'>>
  /** Opens a session by a code. */
  prove(person: { readonly userId: string; readonly sessionId: string }, code: string): Promise<CodeOutcome>
  /** Notes that the person has come in by a passkey, which is both factors. */
  noteProven(sessionId: string): Promise<void>
  /** Takes a code for what only its person may do. */
  take(userId: string, code: string): Promise<CodeOutcome>
  /** New recovery codes in the place of all others. Null where no factor is on. */
  renewCodes(userId: string): Promise<readonly string[] | null>
  /** Returns false where there was none. */
  remove(userId: string): Promise<boolean>
}

export function createSecondFactors(deps: SecondFactorDeps): SecondFactors {
  const { store, secret: sessionSecret, now } = deps
  const limited = async (userId: string, check: () => Promise<boolean>): Promise<CodeOutcome> => {
    const name = { kind: 'factor', userId } as const
    const waitSeconds = await takeAttempt(deps, name)
    if (waitSeconds !== null) return { waitSeconds }
    if (!(await check())) return 'wrong'
    await clearAttempts(deps, name)
    return 'right'
  }
  const take = (userId: string, code: string): Promise<CodeOutcome> =>
    limited(userId, async () => {
      const factor = await store.find(userId)
      if (factor === null || !factor.isConfirmed) return false
      const secret = openSecret(factor.secret, userId, sessionSecret)
      const step = secret === null ? null : findTotpStep(secret, code, now())
      if (step !== null) return store.takeStep(userId, step)
      return store.takeCode(userId, hashCode(code), now())
    })
  return {
    read: async (userId) => {
      const factor = await store.find(userId)
      const isOn = factor?.isConfirmed === true
      return { isOn, recoveryCodesLeft: isOn ? await store.countCodes(userId) : 0 }
    },
    isProven: (session) => store.isProven(session),
    begin: async ({ userId, email, hasEmail, name }) => {
      const secret = createTotpSecret()
      if (!(await store.begin(userId, sealSecret(secret, userId, sessionSecret), now()))) return null
      const issuer = await deps.brand()
      return { secret: base32(secret), address: totpAddress(secret, { issuer, person: hasEmail ? email : name }) }
    },
    confirm: async ({ userId, sessionId }, code) => {
      const codes = createCodes()
      const outcome = await limited(userId, async () => {
        const factor = await store.find(userId)
        const secret = factor === null || factor.isConfirmed ? null : openSecret(factor.secret, userId, sessionSecret)
        const step = secret === null ? null : findTotpStep(secret, code, now())
        if (factor === null || step === null) return false
        const codeHashes = codes.map(hashCode)
        return store.confirm({ userId, sessionId, secret: factor.secret, step, codeHashes, now: now() })
      })
      return outcome === 'right' ? codes : outcome
    },
    prove: async ({ userId, sessionId }, code) => {
      const outcome = await take(userId, code)
      if (outcome === 'right') await store.prove(sessionId, now())
      return outcome
    },
    noteProven: async (sessionId) => void (await store.prove(sessionId, now())),
    take,
    renewCodes: async (userId) => {
      const codes = createCodes()
      return (await store.replaceCodes(userId, codes.map(hashCode))) ? codes : null
    },
    remove: (userId) => store.remove(userId),
  }
}

/** "ABCD-EFGH-IJKL-MNOP" */
function createCodes(): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = base32(randomBytes(RECOVERY_CODE_BYTES))
    const groups = Math.floor(text.length / RECOVERY_GROUP)
    return Array.from({ length: groups }, (_group, at) =>
      text.slice(at * RECOVERY_GROUP, (at + 1) * RECOVERY_GROUP),
    ).join('-')
  })
}

/** Letter case, blanks and dashes make no difference. */
function hashCode(code: string): string {
  const plain = code.toUpperCase().replaceAll(/[^A-Z2-7]/g, '')
  return hashToken(`recovery code\n${plain}`)
}
