import { isIPv6 } from 'node:net'
import type { Transporter } from 'nodemailer'
import { DIRECT, type FindProxy } from '../outbound/open-dispatcher.ts'
import { composeMessage } from './compose-message.ts'
import type { Mailer, MailOutcome, MailSender } from './mailer.ts'

/** Where emails are handed over. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  /** Whether the connection begins with TLS; otherwise it is upgraded where the server offers that. */
  readonly isSecure: boolean
  /** Whether a connection that cannot be upgraded is closed. */
  readonly requiresTls: boolean
  /** Null where the server asks for none. */
  readonly login: { readonly user: string; readonly password: string } | null
}

/** Times of one attempt, in milliseconds. Source: own choice; a caller waits for the first attempt. */
const CONNECT_MS = 5_000
const SILENCE_MS = 10_000

/** Makes a mailer that hands emails to an SMTP server. The mail library is loaded with the first email. */
export function createSmtpMailer(
  server: SmtpServer,
  sender: () => Promise<MailSender>,
  findProxy: FindProxy = DIRECT,
): Mailer {
  let transporter: Promise<Transporter> | null = null
  return {
    async send(mail) {
      transporter ??= openTransporter(server, findProxy)
      try {
        const open = await transporter
        const { envelope, ...message } = composeMessage(mail, await sender())
        await open.sendMail({ ...message, envelope: { from: envelope.from, to: [...envelope.to] } })
        return { kind: 'accepted' }
      } catch (error) {
        return outcomeOf(error)
      }
    },
  }
}

async function openTransporter(server: SmtpServer, findProxy: FindProxy): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const host = isIPv6(server.host) ? `[${server.host}]` : server.host
  const proxy = findProxy(new URL(`${server.isSecure ? 'smtps' : 'smtp'}://${host}:${server.port}`))
  return createTransport({
    host: server.host,
    port: server.port,
    secure: server.isSecure,
    requireTLS: server.requiresTls,
    ...(server.login === null ? {} : { auth: { user: server.login.user, pass: server.login.password } }),
    ...(proxy === null ? {} : { proxy: proxy.href }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** Commands whose refusal is about this email, not about our access to the server. */
const ABOUT_THE_EMAIL: readonly string[] = ['RCPT TO', 'DATA']

/**
 * Reads a failure of the library. Its message is not kept: a server's answer repeats the address.
 */
function outcomeOf(error: unknown): MailOutcome {
  const { code, responseCode, command } = Object(error) as Readonly<Record<string, unknown>>
  const name = typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code) ? code : 'EUNKNOWN'
  const status = typeof responseCode === 'number' ? responseCode : null
  const text = status === null ? name : `${name} ${status}`
  const isFinal = status !== null && status >= 500 && ABOUT_THE_EMAIL.includes(String(command))
  return { kind: isFinal ? 'refused' : 'failed', code: text }
}
