import { Command } from 'commander'
import { creditsJson, formatCredits, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { createId } from '../runtime/ids.ts'
import { unknownAccount } from './account-commands.ts'
import type { AdminContext } from './admin-context.ts'
import { AdminError } from './admin-error.ts'
import { parseAmount, parsePositiveAmount } from './parse-options.ts'
import { runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

interface CreditOptions {
  readonly account: string
  readonly amount: Nanocredits
  readonly reason: string
  readonly id?: string
}

/** Characters of a reason at most: it stands in the account's statement. */
const REASON_LENGTH_MAX = 500
const ID_FORM = /^[\w.:-]{1,100}$/

/** `credits grant` and `adjust`. */
export function creditsCommands(deps: CommandDeps): Command {
  const credits = new Command('credits').description('credits that do not come from a deposit')
  credits
    .command('grant')
    .description('give credits to an account')
    .requiredOption('--account <account>', 'who gets them')
    .requiredOption('--amount <credits>', 'how many, an exact decimal', parsePositiveAmount)
    .requiredOption('--reason <text>', 'why, in words for the account’s owner')
    .option('--id <id>', 'name of this grant; the same name twice is one grant')
    .action((options: CreditOptions, command: Command) =>
      runCommand(deps, command, (context) => recordCredit(context, 'grant', options)),
    )
  credits
    .command('adjust')
    .description('correct a balance, up or down; never below what is held')
    .requiredOption('--account <account>', 'whose')
    .requiredOption('--amount <credits>', 'by how much, an exact decimal; negative takes away', parseAmount)
    .requiredOption('--reason <text>', 'why, in words for the account’s owner')
    .option('--id <id>', 'name of this correction; the same name twice is one correction')
    .action((options: CreditOptions, command: Command) =>
      runCommand(deps, command, (context) => recordCredit(context, 'adjustment', options)),
    )
  return credits
}

async function recordCredit(
  context: AdminContext,
  source: 'grant' | 'adjustment',
  { account: accountId, amount, reason, id }: CreditOptions,
): Promise<CommandOutput> {
  const now = context.now()
  const words = reason.trim()
  if (words === '' || words.length > REASON_LENGTH_MAX) {
    throw new AdminError(`Give a reason of 1 to ${REASON_LENGTH_MAX} characters.`)
  }
  if (id !== undefined && !ID_FORM.test(id)) {
    throw new AdminError('An id has 1 to 100 letters, digits, dots, colons, hyphens or underscores.')
  }
  // A name of the operator's gets a prefix, so that it can never be the id of a request or of a deposit.
  const transferId = id === undefined ? createId(now) : `${source}:${id}`
  const result = await context.credit({ kind: 'credit', transferId, source, accountId, amount, reason: words, now })
  switch (result.kind) {
    case 'unknown_account':
      throw unknownAccount(accountId)
    case 'insufficient':
      throw new AdminError(
        `Only ${formatCredits(result.available)} credits are available on ${accountId}; nothing was taken away.`,
      )
    case 'credited':
      return creditOutput(`${source === 'grant' ? 'Granted' : 'Adjusted by'} ${formatCredits(amount)} credits.`, {
        transferId,
        accountId,
        amount,
        posted: result.posted,
        isRepeated: false,
      })
    case 'already_credited':
      return creditOutput('This was recorded before; nothing has changed.', {
        transferId,
        accountId,
        amount: nanocreditsOf(0n),
        posted: result.posted,
        isRepeated: true,
      })
  }
}

interface Recorded {
  readonly transferId: string
  readonly accountId: string
  /** What this call moved. */
  readonly amount: Nanocredits
  readonly posted: Nanocredits
  readonly isRepeated: boolean
}

function creditOutput(sentence: string, recorded: Recorded): CommandOutput {
  const { transferId, accountId, amount, posted, isRepeated } = recorded
  return {
    text: `${sentence} The balance of ${accountId} is ${formatCredits(posted)}. Transfer ${transferId}.`,
    json: {
      transfer_id: transferId,
      account_id: accountId,
      credits_moved: creditsJson(amount),
      credits: creditsJson(posted),
      repeated: isRepeated,
    },
  }
}
