/** The routes about a person's passkeys. */
import { consoleEndpoints } from '@svc/contract'
import type { FastifyInstance } from 'fastify'
import type { AddPasskeyOutcome } from '../access/sign-in/passkeys.ts'
import { plainAddress } from '../edge/caller-address.ts'
import { ServiceError } from '../platform/errors/service-error.ts'
import type { ConsoleDeps } from './console-deps.ts'
import { requireRight } from './second-factor.ts'
import { type ConsoleEdge, mountSession } from './session-route.ts'
import { comesInWithout } from './ways-in.ts'

const OBSTACLES = {
  bare_address: 'This gateway has no passkeys: browsers tie them to a name, and its address is a bare IP address.',
  plain_http: 'This gateway has no passkeys: browsers take them over HTTPS alone, and its address is plain HTTP.',
  turned_off: 'The operator of this gateway has turned passkeys off.',
} as const

async function requirePasskeys({ passkeys }: ConsoleDeps): Promise<void> {
  const obstacle = await passkeys.obstacle()
  if (obstacle !== null) throw new ServiceError('passkeys_not_enabled', OBSTACLES[obstacle])
}

/** A passkey signs in without the second factor: a person who adds one must have it. */
async function requireFactor({ factors }: ConsoleDeps, userId: string, code: string | undefined): Promise<void> {
  if (!(await factors.read(userId)).isOn) return
  if (code === undefined) {
    throw new ServiceError('missing_required_parameter', 'A code of your second factor is needed.', { param: 'code' })
  }
  requireRight(await factors.take(userId, code))
}

const tooMany = (): ServiceError =>
  new ServiceError('limit_reached', 'There are as many passkeys as a person can have. Remove one first.')

function requireAdded(outcome: AddPasskeyOutcome): string {
  switch (outcome.kind) {
    case 'added':
      return outcome.passkeyId
    case 'wrong_challenge':
      throw new ServiceError('passkey_not_proven', 'This has been used or took too long. Try again.', {
        param: 'answer.response.clientDataJSON',
      })
    case 'not_proven':
      throw new ServiceError('passkey_not_proven', 'The device has not proven a passkey that asks for its person.', {
        param: 'answer',
      })
    case 'taken':
      throw new ServiceError('passkey_already_added', 'This passkey was added before.')
    case 'too_many':
      throw tooMany()
  }
}

const notFound = (): ServiceError =>
  new ServiceError('passkey_not_found', 'There is no such passkey.', { param: 'passkey_id' })

export function mountPasskeys(app: FastifyInstance, parts: ConsoleEdge): void {
  const { console: deps } = parts
  const { passkeys } = deps
  mountSession(app, parts, consoleEndpoints.beginPasskey, async ({ session, body }) => {
    const { userId } = session.user
    await requirePasskeys(deps)
    await deps.perPasskey.take(userId)
    await requireFactor(deps, userId, body.code)
    const options = await passkeys.begin(session)
    if (options === null) throw tooMany()
    return options
  })
  mountSession(app, parts, consoleEndpoints.addPasskey, async ({ session, body, request }) => {
    await requirePasskeys(deps)
    const { user } = session
    const id = requireAdded(await passkeys.add(session, body))
    if (user.hasEmail) {
      const from = { userAgent: request.headers['user-agent'] ?? null, address: plainAddress(request.ip) }
      ;(await deps.signIn()).sendNewPasskey({ email: user.email, name: body.name, ...from, at: parts.edge.clock.now() })
    }
    return { id }
  })
  mountSession(app, parts, consoleEndpoints.renamePasskey, async ({ session, path, body }) => {
    const own = { userId: session.user.userId, passkeyId: path.passkey_id }
    if (!(await passkeys.rename(own, body.name))) throw notFound()
    return { done: true }
  })
  mountSession(app, parts, consoleEndpoints.removePasskey, async ({ session, path }) => {
    const own = { userId: session.user.userId, passkeyId: path.passkey_id }
    const outcome = await passkeys.remove(own, () => comesInWithout('passkey', deps, session.user))
    if (outcome === 'unknown') throw notFound()
    if (outcome === 'last_way_in') {
      throw new ServiceError('last_way_in', 'Without this passkey you could not sign in. Add another way in first.')
    }
    return { done: true }
  })
}
