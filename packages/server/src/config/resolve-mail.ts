import { join } from 'node:path'
import type { MailConfig, MailServerConfig } from './config.ts'
import type { Environment } from './environment.ts'

/** Folder in the data folder that takes emails where no mail server is configured. */
const FILE_OUTBOX = 'outbox'
/** Who those emails say they are from. */
const FILE_SENDER = { name: '', address: 'svc@localhost.localdomain' }

/** Ports of mail submission. Source: RFC 8314 section 3.3 (465), RFC 6409 section 3.1 (587). */
const SECURE_PORT = 465
const SUBMISSION_PORT = 587

export interface ResolvedMail {
  /** Null sends no mail. */
  readonly mail: MailConfig | null
  readonly problems: readonly string[]
}

/**
 * Says how emails leave: by a mail server when one is given, else on loopback into files of the data folder, else not
 * at all.
 */
export function resolveMail(environment: Environment, place: { dataDir: string; isProduction: boolean }): ResolvedMail {
  const { SVC_SMTP_URL: url, SVC_MAIL_FROM: from } = environment
  if (url === undefined) {
    const folder = join(place.dataDir, FILE_OUTBOX)
    const mail = place.isProduction ? null : ({ kind: 'file', folder, sender: from ?? FILE_SENDER } as const)
    return { mail, problems: [] }
  }
  if (from !== undefined) return { mail: { kind: 'smtp', server: serverOf(url), sender: from }, problems: [] }
  return { mail: null, problems: ['SVC_MAIL_FROM is missing: give the address that mail is sent from.'] }
}

function serverOf(text: string): MailServerConfig {
  const url = new URL(text)
  const isSecure = url.protocol === 'smtps:'
  const login =
    url.username === '' ? null : { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) }
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return {
    host,
    port: url.port === '' ? (isSecure ? SECURE_PORT : SUBMISSION_PORT) : Number(url.port),
    isSecure,
    // A password never crosses a network in clear text.
    requiresTls: !isSecure && login !== null && !isLocal(host),
    login,
  }
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}
