/** People for tests: they ask for links, read their mail, and answer invitations. */
import { expect } from 'vitest'
import { type BrowserSession, createBrowserSession } from './browser-session.ts'
import type { ReceivedMail, TestMailServer } from './mail-server.ts'
import type { TestGateway } from './test-gateway.ts'
import { eventually } from './eventually.ts'

export const TEST_SESSION_SECRET = 'the session secret of these tests is long'

/** What a gateway needs to send mail to a test server, and to tell the people of a test apart by their address. */
export function peopleEnv(mail: TestMailServer): Record<string, string> {
  return {
    SVC_SMTP_URL: mail.url,
    SVC_MAIL_FROM: 'SVC <no-reply@gateway.example>',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    SVC_SIGNUP: 'open',
    SVC_SESSION_SECRET: TEST_SESSION_SECRET,
  }
}

let browsers = 0

/** A browser at an address of its own, so that limits by address count each person apart. */
export function openPerson({ baseUrl }: Pick<TestGateway, 'baseUrl'>): BrowserSession {
  browsers += 1
  return createBrowserSession(baseUrl, { 'x-forwarded-for': `198.51.${browsers >> 8}.${browsers & 255}` })
}

/** Waits for the newest email to an address, and takes it out of the box. @param subject what it says. */
export async function takeMail(mail: TestMailServer, email: string, subject = /./): Promise<ReceivedMail> {
  const isFor = ({ envelopeTo, parsed }: ReceivedMail): boolean =>
    envelopeTo.includes(email) && subject.test(parsed.subject ?? '')
  await eventually(() => expect(mail.received.some(isFor)).toBe(true))
  const at = mail.received.findLastIndex(isFor)
  const [found] = mail.received.splice(at, 1)
  if (found === undefined) throw new Error(`no email to ${email}`)
  return found
}

/** The page of the console that an email leads to. */
export function linkIn({ parsed }: ReceivedMail): URL {
  const [, link = ''] = /: (http\S+)$/m.exec(parsed.text ?? '') ?? []
  return new URL(link)
}

/** The secret of an email's link. */
export function tokenIn(email: ReceivedMail): string {
  return linkIn(email).hash.slice(1)
}

/** Signs a person in by a link; a new one gets an account. */
export async function signInByMail(
  gateway: Pick<TestGateway, 'baseUrl'>,
  mail: TestMailServer,
  email: string,
): Promise<BrowserSession> {
  const person = openPerson(gateway)
  await person.json('POST', '/auth/sign-in/magic-link', { email })
  const token = tokenIn(await takeMail(mail, email, /sign in/))
  await person.json('POST', '/auth/magic-link/verify', { token })
  return person
}

export interface PersonVisit {
  readonly user: { readonly id: string; readonly name: string; readonly email: string | null } | null
  readonly teams: readonly {
    readonly id: string
    readonly name: string
    readonly role: string
    readonly is_personal: boolean
  }[]
}

export const visitOf = (person: BrowserSession): Promise<PersonVisit> => person.json('GET', '/console/session')

/** Status and code of what is refused; null as code where it is not. */
export async function refusalOf(response: Response): Promise<readonly [number, string | null]> {
  const body = (await response.json()) as { code?: string; error?: { code: string } }
  return [response.status, body.error?.code ?? body.code ?? null]
}
