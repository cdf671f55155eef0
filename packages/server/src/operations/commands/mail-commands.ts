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
  const mail = new Command('mail').description('letters that the gateway sends')
  mail
    .command('list')
    .description('list letters, newest first, without their recipients')
    .addOption(new Option('--state <state>', 'in this state only').choices(['queued', 'sent', 'failed']))
    .option('--limit <count>', 'how many', parseCount, 50)
    .option('--after <letter>', 'continue after this one')
    .action((options: MailPage, command: Command) =>
      runCommand(deps, command, async (context) => listOutput(await context.listMail(options))),
    )
  mail
    .command('retry')
    .description('have a waiting letter tried in the next seconds')
    .argument('<letter>', 'its id')
    .action((mailId: string, _options: object, command: Command) =>
      runCommand(deps, command, (context) => retryMail(context, mailId)),
    )
  mail
    .command('suppress')
    .description('send no letter to an address any more')
    .argument('<address>', 'the mail address', parseAddress)
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
    throw new AdminError(`There is no waiting letter ${mailId}. "mail list --state queued" shows those that wait.`)
  }
  return { text: `Letter ${mailId} is tried in the next seconds.`, json: { mail_id: mailId, state: 'queued' } }
}

async function suppress(context: AdminContext, address: string): Promise<CommandOutput> {
  const isNew = await context.suppressRecipient(address)
  const text = isNew ? 'No letter will be sent to this address.' : 'This address was suppressed before.'
  return { text, json: { suppressed: true, repeated: !isNew } }
}

function listOutput(letters: readonly MailRecord[]): CommandOutput {
  const head = ['ID', 'KIND', 'ACCOUNT', 'STATE', 'ATTEMPTS', 'LAST FAILURE', 'MADE', 'NEXT ATTEMPT']
  const rows = letters.map((letter) => [
    letter.mailId,
    letter.kind,
    letter.accountId ?? '',
    letter.state,
    String(letter.attempts),
    letter.errorCode ?? '',
    timeOf(letter.createdAt),
    letter.state === 'queued' ? timeOf(letter.nextAttemptAt) : '',
  ])
  return { text: letters.length === 0 ? 'No letters.' : renderTable([head, ...rows]), json: letters.map(mailJson) }
}

function mailJson(letter: MailRecord): object {
  return {
    mail_id: letter.mailId,
    kind: letter.kind,
    account_id: letter.accountId,
    topic: letter.topic,
    state: letter.state,
    attempts: letter.attempts,
    error_code: letter.errorCode,
    created: timeOf(letter.createdAt),
    next_attempt: letter.state === 'queued' ? timeOf(letter.nextAttemptAt) : null,
    ended: letter.endedAt === null ? null : timeOf(letter.endedAt),
  }
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
