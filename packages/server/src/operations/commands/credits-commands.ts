import { Command } from 'commander'
import { creditsJson, formatCredits, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { unknownAccount } from './unknown-account.ts'
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
  const { transferId, result } = await context.credit({ source, accountId, amount, reason, id: id ?? null })
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
