/** Mail put together: by a mail server, into files, or not at all. Part of the composition. */
import type { Config, MailConfig } from '../config/config.ts'
import type { Database } from '../platform/db/database.ts'
import { createFileMailer } from '../platform/mail/file-mailer.ts'
import type { Mailer, MailSender } from '../platform/mail/mailer.ts'
import { createOutboxStore, type MailWindow } from '../platform/mail/outbox-store.ts'
import type { OutboxDeps } from '../platform/mail/outbox.ts'
import { createSmtpMailer } from '../platform/mail/smtp-mailer.ts'
import { settingsDeps } from './open-console.ts'
import { readGatewaySettings } from '../access/operators/gateway-settings.ts'
import type { FindProxy } from '../platform/outbound/open-dispatcher.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** What emails need of a gateway. */
export interface OutboxParts {
  readonly config: Pick<Config, 'mail' | 'limits' | 'sessionSecret' | 'signup'>
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly findProxy: FindProxy
  readonly onAttempt?: OutboxDeps['onAttempt']
}

/** Puts the outbox together; null where no mail is sent. */
export function openOutbox({ config, database, clock, log, findProxy, onAttempt }: OutboxParts): OutboxDeps | null {
  const { mail, sessionSecret: secret } = config
  if (mail === null) return null
  const store = createOutboxStore(database)
  const brand = async () => (await readGatewaySettings(settingsDeps({ database, config }))).brand
  return { store, mailer: mailerOf(mail, brand, findProxy), clock, log, secret, windows: windowsOf(config), onAttempt }
}

/** A sender without a name of its own is called what the gateway is called. */
function mailerOf(mail: MailConfig, brand: () => Promise<string>, findProxy: FindProxy): Mailer {
  const { name, address } = mail.sender
  const sender = async (): Promise<MailSender> => ({ name: name === '' ? await brand() : name, address })
  return mail.kind === 'file' ? createFileMailer(mail.folder, sender) : createSmtpMailer(mail.server, sender, findProxy)
}

type ReceiptLimit = 'receiptsPerRecipientHour' | 'receiptsPerRecipientDay' | 'receiptsPerAccountDay' | 'receiptsPerHour'

/**
 * How many emails of each kind go out. Those of receipts are configured; the others are our own choice, and wide
 * enough for people who press a button twice.
 */
function windowsOf({ limits }: OutboxParts['config']): OutboxDeps['windows'] {
  const configured = (of: MailWindow['of'], name: ReceiptLimit, withinMs: number): MailWindow => ({
    ...{ of, withinMs },
    get max() {
      return limits[name]
    },
  })
  return {
    funding_receipt: [
      configured('recipient', 'receiptsPerRecipientHour', HOUR_MS),
      configured('recipient', 'receiptsPerRecipientDay', DAY_MS),
      configured('account', 'receiptsPerAccountDay', DAY_MS),
      configured('all', 'receiptsPerHour', HOUR_MS),
    ],
    sign_in_link: [
      { of: 'recipient', max: 5, withinMs: HOUR_MS },
      { of: 'recipient', max: 20, withinMs: DAY_MS },
      { of: 'all', max: 1_000, withinMs: HOUR_MS },
    ],
    invitation: [
      { of: 'recipient', max: 5, withinMs: HOUR_MS },
      { of: 'recipient', max: 10, withinMs: DAY_MS },
      { of: 'account', max: 100, withinMs: DAY_MS },
      { of: 'all', max: 500, withinMs: HOUR_MS },
    ],
    low_balance: [
      { of: 'recipient', max: 10, withinMs: DAY_MS },
      { of: 'account', max: 50, withinMs: DAY_MS },
      { of: 'all', max: 500, withinMs: HOUR_MS },
    ],
  }
}
