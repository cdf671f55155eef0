import { Command, InvalidArgumentError, Option } from 'commander'
import { isPlainEmailAddress } from '@svc/contract'
import type { MailPage, MailRecord } from '../../platform/mail/manage-outbox.ts'
import type { AdminContext } from './admin-context.ts'
import { AdminError } from './admin-error.ts'
import { parseCount } from './parse-options.ts'
import { renderTable } from './render-table.ts'
import { runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

/** `mail list`, `retry` and `suppress`. */
export function mailCommands(deps: CommandDeps): Command {
  const mail = new Command('mail').description('emails that the gateway sends')
  mail
    .command('list')
    .description('list emails, newest first, without their recipients')
    .addOption(new Option('--state <state>', 'in this state only').choices(['queued', 'sent', 'failed']))
    .option('--limit <count>', 'how many', parseCount, 50)
    .option('--after <email>', 'continue after this one')
    .action((options: MailPage, command: Command) =>
      runCommand(deps, command, async (context) => listOutput(await context.listMail(options))),
    )
  mail
    .command('retry')
    .description('have a waiting email tried in the next seconds')
    .argument('<email>', 'its id')
    .action((mailId: string, _options: object, command: Command) =>
      runCommand(deps, command, (context) => retryMail(context, mailId)),
    )
  mail
    .command('suppress')
    .description('stop all email to an address')
    .argument('<address>', 'the email address', parseAddress)
    .action((address: string, _options: object, command: Command) =>
      runCommand(deps, command, (context) => suppress(context, address)),
    )
  return mail
}

function parseAddress(text: string): string {
  if (!isPlainEmailAddress(text)) throw new InvalidArgumentError('Give one plain address such as name@example.com.')
  return text
}

async function retryMail(context: AdminContext, mailId: string): Promise<CommandOutput> {
  if (!(await context.hurryMail(mailId))) {
    throw new AdminError(`There is no waiting email ${mailId}. "mail list --state queued" shows those that wait.`)
  }
  return { text: `Email ${mailId} is tried in the next seconds.`, json: { mail_id: mailId, state: 'queued' } }
}

async function suppress(context: AdminContext, address: string): Promise<CommandOutput> {
  const isNew = await context.suppressRecipient(address)
  const text = isNew ? 'No email will be sent to this address.' : 'This address was suppressed before.'
  return { text, json: { suppressed: true, repeated: !isNew } }
}

function listOutput(emails: readonly MailRecord[]): CommandOutput {
  const head = ['ID', 'KIND', 'ACCOUNT', 'STATE', 'ATTEMPTS', 'LAST FAILURE', 'MADE', 'NEXT ATTEMPT']
  const rows = emails.map((email) => [
    email.mailId,
    email.kind,
    email.accountId ?? '',
    email.state,
    String(email.attempts),
    email.errorCode ?? '',
    timeOf(email.createdAt),
    email.state === 'queued' ? timeOf(email.nextAttemptAt) : '',
  ])
  return { text: emails.length === 0 ? 'No emails.' : renderTable([head, ...rows]), json: emails.map(mailJson) }
}

function mailJson(email: MailRecord): object {
  return {
    mail_id: email.mailId,
    kind: email.kind,
    account_id: email.accountId,
    topic: email.topic,
    state: email.state,
    attempts: email.attempts,
    error_code: email.errorCode,
    created: timeOf(email.createdAt),
    next_attempt: email.state === 'queued' ? timeOf(email.nextAttemptAt) : null,
    ended: email.endedAt === null ? null : timeOf(email.endedAt),
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
