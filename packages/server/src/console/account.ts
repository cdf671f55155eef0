/** The routes about a person: what they are called, and how they come in. */
import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { LinkWalletOutcome, ProveEmailOutcome } from '../access/sign-in/sign-in.ts'
import { type ConsoleEdge, mountSession, notSignedIn } from './session-route.ts'
import { comesInWithout } from './ways-in.ts'

const secondsOf = (ms: number): number => Math.floor(ms / 1_000)

function mountPerson(app: FastifyInstance, parts: ConsoleEdge): void {
  const { console: deps } = parts
  mountSession(app, parts, consoleEndpoints.getAccountWays, async ({ session }) => {
    const { user } = session
    const signIn = await deps.signIn()
    const [hasPassword, wallets, factor, passkeys] = await Promise.all([
      signIn.hasPassword(user.userId),
      signIn.listWallets(user.userId),
      deps.factors.read(user.userId),
      deps.passkeys.list(user.userId),
    ])
    return {
      name: user.name,
      email: user.hasEmail ? user.email : null,
      has_password: hasPassword,
      second_factor: { is_on: factor.isOn, recovery_codes_left: factor.recoveryCodesLeft },
      passkeys: passkeys.map((passkey) => ({
        ...{ id: passkey.passkeyId, name: passkey.name, added_at: secondsOf(passkey.addedAt) },
        last_used_at: passkey.lastUsedAt === null ? null : secondsOf(passkey.lastUsedAt),
        ...{ is_backed_up: passkey.isBackedUp, is_usable: passkey.isUsable },
      })),
      passkeys_off: await deps.passkeys.obstacle(),
      wallets: wallets.map(({ walletId, address, chainId, linkedAt }) => ({
        ...{ id: walletId, address, chain_id: chainId, linked_at: secondsOf(linkedAt) },
      })),
    }
  })
  mountSession(app, parts, consoleEndpoints.renamePerson, async ({ session, body }) => {
    await (await deps.signIn()).rename(session.user.userId, body.name)
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.setPassword, async ({ session, body }) => {
    const { userId } = session.user
    if (!(await deps.settings()).allowsPasswords) {
      throw new ServiceError('passwords_not_allowed', 'Passwords are disabled on this gateway.')
    }
    await deps.perPassword.take(userId)
    const signIn = await deps.signIn()
    if (!(await signIn.setPassword(userId, { current: body.current ?? null, next: body.next }))) {
      throw new ServiceError('wrong_password', 'Current password is incorrect.', { param: 'current' })
    }
    // Sessions under the old password end.
    await signIn.endSessions(userId, session.sessionId)
    return { done: true }
  })
}

function requireLinked(outcome: LinkWalletOutcome): void {
  switch (outcome) {
    case 'linked':
      return
    case 'wrong_message':
      throw new ServiceError('wallet_not_proven', 'This challenge is unknown or has expired. Try again.', {
        param: 'message',
      })
    case 'wrong_signature':
      throw new ServiceError('wallet_not_proven', 'The wallet has not signed this message.', { param: 'signature' })
    case 'taken':
      throw new ServiceError('wallet_already_linked', 'This wallet belongs to another person.')
    case 'signed_out':
      throw notSignedIn()
    case 'too_many':
      throw new ServiceError('limit_reached', 'There are as many wallets as a person can have. Remove one first.')
  }
}

function requireProven(outcome: ProveEmailOutcome): void {
  switch (outcome) {
    case 'proven':
      return
    case 'wrong_token':
      throw new ServiceError(
        'email_not_proven',
        'This link has been used, has expired, or was requested by another account.',
        { param: 'token' },
      )
    case 'taken':
      throw new ServiceError('email_taken', 'This address signs in to another account of this gateway.')
    case 'has_one':
      throw new ServiceError('email_already_set', HAS_EMAIL)
  }
}

const HAS_EMAIL = 'There is an email address in your account, and it cannot be exchanged.'

function mountEmail(app: FastifyInstance, parts: ConsoleEdge): void {
  const { console: deps } = parts
  mountSession(app, parts, consoleEndpoints.askForEmail, async ({ session, body }) => {
    if (session.user.hasEmail) throw new ServiceError('email_already_set', HAS_EMAIL)
    if (!deps.offers.link) throw new ServiceError('mail_not_enabled', 'This gateway sends no mail.')
    await deps.perEmail.take(session.user.userId)
    ;(await deps.signIn()).askForEmail(session.user, body.email)
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.proveEmail, async ({ session, body }) => {
    requireProven(await (await deps.signIn()).proveEmail(session.user, body.token))
    return { done: true }
  })
}

function mountWallets(app: FastifyInstance, parts: ConsoleEdge): void {
  const { console: deps } = parts
  mountSession(app, parts, consoleEndpoints.challengeSignInWallet, async ({ session, body }) => {
    const place = { address: body.address, chainId: body.chain_id }
    const { message, expiresAt } = await (await deps.signIn()).challengeWallet(session.user, place)
    return { message, expires_at: secondsOf(expiresAt) }
  })
  mountSession(app, parts, consoleEndpoints.addSignInWallet, async ({ session, body }) => {
    requireLinked(await (await deps.signIn()).linkWallet(session, body))
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.removeSignInWallet, async ({ session, path }) => {
    const signIn = await deps.signIn()
    const hasOtherWay = () => comesInWithout('wallet', deps, session.user)
    if (await signIn.unlinkWallet(session.user, path.wallet_id, hasOtherWay)) return { done: true }
    const wallets = await signIn.listWallets(session.user.userId)
    if (wallets.some(({ walletId }) => walletId === path.wallet_id)) {
      throw new ServiceError(
        'last_way_in',
        'Without this wallet you could not sign in. Add an email address, a passkey or another wallet first.',
      )
    }
    throw new ServiceError('wallet_not_found', 'There is no such wallet.', { param: 'wallet_id' })
  })
}

export function mountAccount(app: FastifyInstance, parts: ConsoleEdge): void {
  mountPerson(app, parts)
  mountEmail(app, parts)
  mountWallets(app, parts)
}
