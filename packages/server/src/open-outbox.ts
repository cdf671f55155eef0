/** Mail put together: by a mail server, into files, or not at all. Part of the composition. */
import type { Config, MailConfig } from './config/config.ts'
import type { Database } from './db/database.ts'
import { createFileMailer } from './mail/file-mailer.ts'
import type { Mailer } from './mail/mailer.ts'
import { createOutboxStore, type MailWindow } from './mail/outbox-store.ts'
import type { OutboxDeps } from './mail/outbox.ts'
import { createSmtpMailer } from './mail/smtp-mailer.ts'
import type { Clock } from './runtime/clock.ts'
import type { Logger } from './runtime/log.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** What letters need of a gateway. */
export interface OutboxParts {
  readonly config: Pick<Config, 'mail' | 'limits' | 'sessionSecret'>
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
}

/** Puts the outbox together; null where no mail is sent. */
export function openOutbox({ config, database, clock, log }: OutboxParts): OutboxDeps | null {
  const { mail, sessionSecret: secret } = config
  if (mail === null) return null
  const store = createOutboxStore(database)
  return { store, mailer: mailerOf(mail), clock, log, secret, windows: windowsOf(config) }
}

function mailerOf(mail: MailConfig): Mailer {
  if (mail.kind === 'file') return createFileMailer(mail.folder, mail.sender)
  return createSmtpMailer(mail.server, mail.sender)
}

function windowsOf({ limits }: OutboxParts['config']): readonly MailWindow[] {
  const { perRecipientAndHour, perRecipientAndDay, perAccountAndDay, perHour } = limits.receipts
  return [
    { of: 'recipient', max: perRecipientAndHour, withinMs: HOUR_MS },
    { of: 'recipient', max: perRecipientAndDay, withinMs: DAY_MS },
    { of: 'account', max: perAccountAndDay, withinMs: DAY_MS },
    { of: 'all', max: perHour, withinMs: HOUR_MS },
  ]
}
