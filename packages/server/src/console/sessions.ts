/** The routes about who is signed in. */
import { consoleEndpoints, type ConsoleSession } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import { FRESH_MS, type Session } from '../access/sign-in/sign-in.ts'
import { permissionsOf } from '../access/teams/permissions.ts'
import type { Membership } from '../access/teams/membership.ts'
import { compressAnswer } from '../edge/compress-answer.ts'
import type { EarlySignIn } from '../edge/console-page.ts'
import { isLocalCaller } from '../edge/local-caller.ts'
import type { ConsoleDeps } from './console-deps.ts'
import { type ConsoleEdge, findVisitor, mountSession } from './session-route.ts'

const secondsOf = (ms: number): number => Math.floor(ms / 1_000)

/** @param isLocal whether the caller sits at the gateway's own machine: the sandbox's open doors are for them alone. */
async function describeGateway(deps: ConsoleDeps, isLocal: boolean): Promise<ConsoleSession['gateway']> {
  const settings = await deps.settings()
  const { demo, link, mail_folder: mailFolder, ...offers } = deps.offers
  return {
    ...offers,
    mail_folder: isLocal ? mailFolder : null,
    brand: settings.brand,
    terms_url: settings.termsUrl ?? (settings.termsText === null ? null : `${deps.origins()[0]}/console/terms`),
    signup: settings.signup,
    sign_in: {
      ...{ demo: demo && isLocal, link, password: settings.allowsPasswords, wallet: settings.allowsWallets },
      passkey: (await deps.passkeys.obstacle()) === null,
      first_run: !(await deps.hasOperator()),
    },
  }
}

/** What the page of signing in shows before its scripts are there. */
export async function describeSignIn(deps: ConsoleDeps, isLocal: boolean): Promise<EarlySignIn> {
  const { brand, sign_in: offers } = await describeGateway(deps, isLocal)
  return { brand, ways: Object.entries(offers).flatMap(([name, isOffered]) => (isOffered ? [name] : [])) }
}

export function renderTeam(membership: Membership): ConsoleSession['teams'][number] {
  return {
    id: membership.teamId,
    account_id: membership.accountId,
    name: membership.name,
    role: membership.role,
    permissions: [...permissionsOf(membership.role)],
    is_personal: membership.isPersonal,
    is_suspended: membership.accountStatus === 'suspended',
  }
}

async function describeVisit(deps: ConsoleDeps, session: Session | null, isLocal: boolean): Promise<ConsoleSession> {
  const gateway = await describeGateway(deps, isLocal)
  if (session === null) return { gateway, user: null, teams: [] }
  const { user } = session
  const [teams, isOperator] = await Promise.all([deps.teamsOf(user), deps.isOperator(user.userId)])
  return {
    gateway,
    user: {
      id: user.userId,
      name: user.name,
      email: user.hasEmail ? user.email : null,
      is_operator: isOperator,
      session_id: session.sessionId,
      fresh_until: secondsOf(session.signedInAt + FRESH_MS),
    },
    teams: teams.map(renderTeam),
  }
}

export function mountSessions(app: FastifyInstance, parts: ConsoleEdge): void {
  const { console: deps } = parts
  app.get(consoleEndpoints.getConsoleSession.path, { onSend: compressAnswer }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    const session = await findVisitor(parts, { request, reply })
    return describeVisit(deps, session, isLocalCaller(request))
  })
  mountSession(app, parts, consoleEndpoints.listBrowserSessions, async ({ session }) => {
    const sessions = await (await deps.signIn()).listSessions(session.user.userId)
    return {
      data: sessions.map((each) => ({
        id: each.sessionId,
        is_current: each.sessionId === session.sessionId,
        user_agent: each.userAgent,
        address: each.address,
        signed_in_at: secondsOf(each.signedInAt),
        expires_at: secondsOf(each.expiresAt),
      })),
    }
  })
  mountSession(app, parts, consoleEndpoints.endBrowserSession, async ({ session, path }) => {
    const isEnded = await (await deps.signIn()).endSession(session.user.userId, path.session_id)
    if (!isEnded) throw new ServiceError('session_not_found', 'There is no such session.')
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.endOtherSessions, async ({ session }) => {
    await (await deps.signIn()).endSessions(session.user.userId, session.sessionId)
    return { done: true }
  })
}
