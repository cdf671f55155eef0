/** An operator who runs the gateway and calls the console's rows, signed in for as long as the run lasts. */
import { type BrowserSession, createBrowserSession } from '../../packages/server/testing/browser-session.ts'
import type { GatewayProcess } from '../../packages/server/testing/start-gateway-process.ts'

export interface ConsolePerson {
  /** Headers of a page of the console that this person has open. */
  headers(): readonly string[]
  /** Signs in again, once for all who ask meanwhile; nothing happens when that is refused. */
  renew(): Promise<void>
  /** Calls a row of the console as a page of this person does. @throws when the answer is no success. */
  readonly json: BrowserSession['json']
  readonly teamId: string
  readonly userId: string
}

const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'

interface Visit {
  readonly user: { readonly id: string }
  readonly teams: readonly { readonly id: string }[]
}

/**
 * Lets the first operator in, by the token that the gateway printed at its start.
 *
 * @throws when the gateway does not take it.
 */
export async function openConsolePerson(gateway: GatewayProcess): Promise<ConsolePerson> {
  const baseUrl = `http://127.0.0.1:${gateway.port}/api`
  const token = /first-run#(\S+)/.exec(gateway.output())?.[1] ?? ''
  let visits = 0
  const browser = () => createBrowserSession(baseUrl, { 'x-forwarded-for': `198.51.${++visits >> 8}.${visits & 255}` })
  let page = browser()
  await page.json('POST', '/auth/first-run', { token, email: EMAIL, name: 'Ada', password: PASSWORD })
  const { user, teams } = await page.json<Visit>('GET', '/console/session')
  let renewal: Promise<void> | null = null
  const signIn = async (): Promise<void> => {
    const next = browser()
    const response = await next.call('POST', '/auth/sign-in/email', { email: EMAIL, password: PASSWORD })
    await response.arrayBuffer()
    if (response.ok) page = next
  }
  return {
    teamId: teams[0]?.id ?? '',
    userId: user.id,
    json: (...request) => page.json(...request),
    headers: () => [
      `cookie: ${[...page.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
      `origin: ${page.origin}`,
    ],
    renew() {
      renewal ??= signIn().finally(() => {
        renewal = null
      })
      return renewal
    },
  }
}
